"""Caches: what PyTorch's compile caches say of each graph, although recording looks past them.

PyTorch is asked what it asks itself before it looks into a cache: may this be kept, and under which
key? Nothing is read from a cache, and nothing is written to one.
"""

import re
from collections.abc import Generator, Iterable
from typing import Any

import torch
from msgspec.structs import replace
from torch import fx

from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.hooks import CACHE_SETTINGS, CACHES_FORBIDDEN
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.core.undo import Undo
from dynamo_lab.capture.graphs import hooks
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.capture.lowering.hooks import COMPILE_INNER
from dynamo_lab.model.timings import CacheCheck

FX_GRAPH = "FX graph cache"
AOTAUTOGRAD = "AOTAutograd cache"
_FROZEN = "Cannot cache a graph with freezing enabled"
_RELEASE = str(torch.__version__).encode()
_PART = re.compile(r"^\[(\w+)\] ([\w.]+(?:\[[^\]]*\])?)")


class CacheProbes:
    """Asks the caches, with the settings that the program would meet without a recording."""

    def __init__(self, recorder: Recorder, compilations: Compilations, graphs: GraphProbes) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._graphs = graphs
        self._on: dict[str, bool] = {}
        self._captured: dict[str, fx.GraphModule] = {}
        self._first: dict[str, str] = {}

    def install(self, patches: Patches) -> None:
        """Watch the hand-over to a backend, around what switches the caches off.

        Lowering for a target switches caches off by itself, which says nothing of the user's: none
        is asked, since a key is what takes longest of all questions.
        """
        if not self._recorder.target:
            patches.hook(hooks.USER_COMPILER, self.handed_over)

    def install_inductor(self, patches: Patches) -> None:
        """Watch graphs on their way into Inductor, if any cache is asked about them."""
        if not self._recorder.target:
            patches.hook(hooks.COMPILE_FX, self.entered)
            patches.hook(COMPILE_INNER, self.asked)

    def handed_over(self, output: Any, gm: fx.GraphModule, *_: Any) -> Generator[None, Any, None]:
        """Dynamo hands over a graph. The settings are still the user's."""
        self._on = _settings()
        compile_id = self._compilations.current_id()
        self._captured[compile_id] = gm
        try:
            yield
        finally:
            self._captured.pop(compile_id, None)

    def entered(self, *_: Any, config_patches: Any = None, **__: Any) -> Generator[None, Any, None]:
        """Inductor is the backend: AOTAutograd's cache is asked about the captured graph.

        With options of `torch.compile`, Inductor first calls itself under them.
        """
        if config_patches:
            yield
            return
        compile_id = self._compilations.current_id()
        gm = self._captured.pop(compile_id, None)
        graph = self._graphs.recorded.get(gm.graph) if gm is not None else None
        if gm is not None and graph is not None:
            found = CacheCheck(
                layer=AOTAUTOGRAD, outcome="kept", compile_id=compile_id, graph=graph.id
            )
            self._recorder.caches.append(self._checked(found, gm))
        yield

    def _checked(self, found: CacheCheck, gm: fx.GraphModule) -> CacheCheck:
        if not self._on.get(AOTAUTOGRAD):
            return replace(found, outcome="off")
        if hooks.FREEZING.exists and hooks.FREEZING.get():
            return replace(found, outcome="bypassed", reason=_FROZEN)
        refused = hooks.AOT_BYPASS.get()
        check = hooks.AOT_CHECK_NODE.get()
        for index, node in enumerate(gm.graph.nodes):
            try:
                check(node)
            except refused as error:
                return replace(found, outcome="bypassed", reason=_sentence(error), node=index)
        return found

    def asked(
        self, gm: fx.GraphModule, inputs: Any, *_: Any, **options: Any
    ) -> Generator[None, Any, None]:
        """Inductor compiles a graph: the cache of FX graphs is asked about it."""
        graph = self._graphs.recorded.get(gm.graph)
        found = CacheCheck(
            layer=FX_GRAPH,
            outcome="kept",
            compile_id=self._compilations.current_id(),
            graph=graph.id if graph else None,
        )
        self._recorder.caches.append(self._keyed(found, gm, inputs, options))
        yield

    def _keyed(
        self, found: CacheCheck, gm: fx.GraphModule, inputs: Any, options: dict[str, Any]
    ) -> CacheCheck:
        if not self._on.get(FX_GRAPH):
            return replace(found, outcome="off")
        try:
            check = hooks.FX_CHECK.get()
            check(*(gm, inputs, options)[: check.__code__.co_argcount])  # 2.11: the graph alone
            lines = _key(gm, inputs, options)
        except hooks.FX_BYPASS.get() as error:
            return replace(found, outcome="bypassed", reason=_sentence(error))
        except Exception as error:  # the question is ours, so the program does not end by it
            return replace(found, outcome="unknown", reason=_sentence(error))
        parts = dict(parts_of(lines))
        told = tuple(_changes(self._first, parts))
        self._first = self._first or parts
        return replace(found, parts=told)


def _key(gm: fx.GraphModule, inputs: Any, options: dict[str, Any]) -> Iterable[str]:
    """What PyTorch logs of a key.

    It hashes its own sources for it, which takes longer than all else; which release it is, a
    recording knows.
    """
    undo = Undo()
    try:
        undo.replace(*hooks.TORCH_KEY.place(), lambda: _RELEASE)
        _, lines = hooks.FX_KEY.get()(gm, inputs, options, ())
    finally:
        undo.run()
    return lines


def _settings() -> dict[str, bool]:
    """Which caches are on."""
    forbidden = CACHES_FORBIDDEN.exists and bool(CACHES_FORBIDDEN.get())
    local, remote, autograd, _ = (row.exists and bool(row.get()) for row in CACHE_SETTINGS)
    fx_graph = not forbidden and (local or remote)
    return {FX_GRAPH: fx_graph, AOTAUTOGRAD: fx_graph and autograd}


def parts_of(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    """The name of each part of a key, and the start of its hash."""
    for line in lines:
        if found := _PART.match(line):
            yield found[2], found[1][:12]


def _changes(first: dict[str, str], parts: dict[str, str]) -> Iterable[tuple[str, str]]:
    """The parts that differ from the first key's: most are settings, the same for each graph."""
    yield from ((name, part) for name, part in parts.items() if first.get(name) != part)
    yield from ((name, "") for name in first.keys() - parts.keys())


def _sentence(error: BaseException) -> str:
    return re.sub(r"\s+", " ", str(error)).strip() or type(error).__name__

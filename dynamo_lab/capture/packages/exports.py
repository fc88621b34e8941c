"""Exports: what `torch.export` captured, or why and at which line it failed."""

import re
import sys
import traceback
from collections.abc import Generator, Iterable
from contextlib import suppress
from itertools import takewhile
from types import TracebackType
from typing import Any

import torch
from msgspec.structs import replace

from dynamo_lab.capture.core import compat
from dynamo_lab.capture.core.hooks import REAL_STACK
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.core.undo import Undo
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.capture.guards import hooks as guards_hooks
from dynamo_lab.capture.packages import dims, hooks
from dynamo_lab.capture.packages.calls import ExportCall
from dynamo_lab.model.packages import AskedDim, DimEvent, DimFact, Export

_MOST_FACTS = 100
_LONGEST = 4000  # characters of a message
_OWN_CALLS = (  # what a call of `torch.export.export` itself goes through
    "torch.export",
    "torch.export._trace",
    "torch.export.exported_program",
    "torch._utils_internal",
    "torch.utils._contextlib",
)
_SIZE = re.compile(r"(.+)\.size\(\)\[(\d+)\]$")


class _Running:
    """The export that runs: what it was asked, and what it has assumed so far."""

    def __init__(
        self, made: Export, module: Any, frame: Any, spec: Any, inputs: dict[str, Any]
    ) -> None:
        self.made, self.frame, self.spec, self.inputs = made, frame, spec, inputs
        self.leaves = dims.leaf_names(inputs) if made.dims else []
        self.module, self.attributes = module, _attributes(module)
        self.facts: dict[tuple[str, int, str, str], DimFact] = {}
        self.assigned: list[str] = []
        self.specs: dict[str, Any] = {}
        """The `dynamic_shapes` to try instead of those that failed."""

    def other_shapes(self, error: str) -> None:
        """The shapes that PyTorch suggests where it does, and those that keep open what can vary.

        What is suggested at a size that the conditions refuse begins at one that passes.
        """
        if self.spec:
            self.specs["loosened"] = dims.loosened(self.spec)
        if "Suggested fixes" in error:
            refined = hooks.REFINED.get()(error, self.spec)
            self.specs["suggested"] = dims.fitted(refined, self.inputs, self.facts.values())


class ExportProbes:
    """Records each export, strict or not, whoever catches what it raises."""

    def __init__(self, recorder: Recorder, graphs: GraphProbes, undo: Undo) -> None:
        self._recorder = recorder
        self._graphs = graphs
        self._undo = undo
        self._running: _Running | None = None
        self._captured: dict[int, Any] = {}  # exported graphs, by the place of their export

    def install(self, patches: Patches) -> None:
        """Watch exports from the first on: what makes them takes long to import."""
        self._undo.add(self._keep_captured)

        def before_export(*_: Any) -> Generator[None, Any, None]:
            if hooks.EXPORT.is_loaded and self._patches is not None:
                self._watch(patches)
            yield

        self._patches: Patches | None = patches
        patches.hook(hooks.BEFORE_EXPORT, before_export)

    def _watch(self, patches: Patches) -> None:
        self._patches = None
        patches.hook(hooks.EXPORT, self.export)
        patches.hook(guards_hooks.REPLACED, self.replaced)
        patches.hook(guards_hooks.GUARDED, self.guarded)
        patches.hook(hooks.PYTHON_RAN, self.traced)

    def export(
        self,
        mod: Any,
        args: Any,
        kwargs: Any = None,
        dynamic_shapes: Any = None,
        *_: Any,
        strict: bool = True,
        **others: Any,
    ) -> Generator[None, Any, None]:
        """A model is exported."""
        outer, running = self._running, self._begun(mod, args, kwargs, dynamic_shapes, strict)
        self._running = running
        at = len(self._recorder.exports)
        self._recorder.exports.append(running.made)
        try:
            program = yield
            self._captured[at] = program.graph_module
            self._recorder.exports[at] = _done(running, program)
        except Exception as error:
            self._recorder.exports[at] = self._failed(running, error)
            if not running.made.within:
                self._recorder.fail(error, caught=True)
                if isinstance(args, tuple):
                    called = mod, args, dict(kwargs or {}), dynamic_shapes, strict, others
                    self._recorder.export_calls[at] = ExportCall(*called, specs=running.specs)
            raise
        finally:
            self._running = outer

    def packaged(self, module: Any, graph: int) -> None:
        """A package is made of this graph: if it was exported here, it is shown once."""
        for at, captured in self._captured.items():
            if _operators(captured) == _operators(module):
                self._recorder.update(self._recorder.exports, at, graph=graph)
                del self._captured[at]
                return

    def _keep_captured(self) -> None:
        """Record the graphs of which nothing else was made; Dynamo's is there already."""
        for at, module in self._captured.items():
            if not self._recorder.exports[at].strict:
                graph = self._graphs.record(module, "dynamo").id
                self._recorder.update(self._recorder.exports, at, graph=graph)
        self._captured.clear()

    def _begun(self, mod: Any, args: Any, kwargs: Any, spec: Any, strict: bool) -> _Running:
        around = [
            frame
            for frame, _ in traceback.walk_stack(None)
            if not self._recorder.texts.is_ours(frame.f_code.co_filename)
        ]
        inputs = dims.arguments(mod, args if isinstance(args, tuple) else (), kwargs or {})
        own = next(filter(self._is_users, around), None)
        made = Export(
            model=type(mod).__name__,
            strict=strict,
            span=self._span(own) if own else None,
            within=_caller(takewhile(lambda frame: not self._is_users(frame), around)),
            shapes=dims.as_code(spec),
            dims=tuple(_or_none(lambda: tuple(dims.asked(spec, inputs)))),
        )
        return _Running(made, mod, around[0], spec, inputs)

    def replaced(
        self, env: Any, a: Any, tgt: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """A size turns out to be a constant, or another size."""
        running, before = self._running, env.replacements.get(a)
        yield
        after = env.replacements.get(a)
        if running is None or after is None or after == before:
            return
        self._add(running, env, (a,), "constant" if after.is_number else "equal", after)

    def guarded(
        self, env: Any, prefix: str, g: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """A question about sizes was answered, and the answer becomes a condition."""
        if self._running is not None and "suppressed" not in prefix:
            self._add(self._running, env, g.free_symbols, "guard", g)
        yield

    def traced(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """The Python has run once: what it assigned is still there, and PyTorch takes it back."""
        yield
        running = self._running
        if running is not None and not running.made.strict:
            now = _attributes(running.module)
            running.assigned += [
                n for n, old in running.attributes.items() if now.get(n) is not old
            ]

    def _add(
        self, running: _Running, env: Any, symbols: Iterable[Any], event: DimEvent, value: Any
    ) -> None:
        if len(running.facts) >= _MOST_FACTS:
            return
        text = _renamed(str(value), value.free_symbols, env, running.leaves)
        for symbol in symbols:
            for name, axis in _sizes(symbol, env, running.leaves):
                dim = next(
                    (d.dim for d in running.made.dims if (d.input, d.axis) == (name, axis)), ""
                )
                fact = DimFact(
                    input=name,
                    axis=axis,
                    dim=dim,
                    event=event,
                    value=text,
                    span=self._line(running),
                )
                running.facts.setdefault((name, axis, event, text), fact)

    def _line(self, running: _Running) -> int | None:
        """The user's innermost line within the export: Dynamo's word, or where Python is."""
        told = guards_hooks.STACK.get()() or ()
        own = [frame for frame in told if self._recorder.texts.is_users(frame.filename)]
        if own:
            return self._recorder.texts.span_of_summary(own[-1])
        for frame, _ in traceback.walk_stack(None):
            if frame is running.frame:
                return None
            if self._is_users(frame):
                return self._span(frame)
        return None

    def _failed(self, running: _Running, error: Exception) -> Export:
        _or_none(lambda: running.other_shapes(str(error)))
        return replace(
            running.made,
            error=type(error).__name__,
            message=str(error)[:_LONGEST],
            at=self._raised_at(error),
            suggested=dims.as_code(running.specs.get("suggested")),
            loosened=dims.as_code(running.specs.get("loosened")),
            facts=tuple(running.facts.values()),
        )

    def _raised_at(self, error: Exception) -> int | None:
        """The user's innermost line that the error names: Dynamo's, or Python's."""
        raised = [*traceback.extract_tb(_below(error.__traceback__)), *(REAL_STACK.of(error) or ())]
        own = [frame for frame in raised if self._recorder.texts.is_users(frame.filename)]
        return self._recorder.texts.span_of_summary(own[-1]) if own else None

    def _is_users(self, frame: Any) -> bool:
        return self._recorder.texts.is_users(frame.f_code.co_filename)

    def _span(self, frame: Any) -> int:
        return self._recorder.texts.span_of_frame(frame)


def _done(running: _Running, program: Any) -> Export:
    """What came of an export that succeeded."""
    shapes = {
        node.target: node.meta["val"].shape
        for node in program.graph.nodes
        if node.op == "placeholder" and hasattr(node.meta.get("val"), "shape")
    }
    known = zip(running.leaves, program.graph_signature.user_inputs, strict=False)
    names = {leaf: shapes.get(target) for leaf, target in known}

    def told(dim: AskedDim) -> AskedDim:
        shape = names.get(dim.input)
        return dim if shape is None else replace(dim, varies=not str(shape[dim.axis]).isdigit())

    return replace(
        running.made,
        dims=tuple(map(told, running.made.dims)),
        facts=tuple(running.facts.values()),
        assigned=tuple(dict.fromkeys(running.assigned)),
    )


def _attributes(module: Any) -> dict[str, torch.Tensor]:
    """The tensors that a module holds as plain attributes, by what the program calls them."""
    if not isinstance(module, torch.nn.Module):
        return {}
    return {
        f"self.{path}.{name}" if path else f"self.{name}": value
        for path, one in module.named_modules()
        for name, value in vars(one).items()
        if isinstance(value, torch.Tensor)
    }


def _operators(module: Any) -> list[str]:
    return [str(node.target) for node in module.graph.nodes if node.op.startswith("call_")]


def _sizes(symbol: Any, env: Any, leaves: list[str]) -> Iterable[tuple[str, int]]:
    """The inputs and axes whose size a symbol is."""
    for source in env.var_to_sources.get(symbol, ()):
        found = _SIZE.match(compat.name_of(source))
        name = _input(found[1], leaves) if found else ""
        if found and name:
            yield name, int(found[2])


def _input(source: str, leaves: list[str]) -> str:
    """What the program writes for Dynamo's source: d['a'] for L['d']['a']; empty if unknown."""
    flat = re.fullmatch(r"L\['flat_args'\]\[(\d+)\]", source)
    if flat:
        at = int(flat[1])
        return leaves[at] if at < len(leaves) else ""
    name = dims.program_name(source.removeprefix("L"))
    return name if name in leaves else ""


def _renamed(text: str, symbols: Iterable[Any], env: Any, leaves: list[str]) -> str:
    """A condition with sizes in the program's names: `x.shape[0] <= 5`."""
    for symbol in symbols:
        for name, axis in list(_sizes(symbol, env, leaves))[:1]:
            text = re.sub(rf"\b{re.escape(str(symbol))}\b", lambda _: f"{name}.shape[{axis}]", text)  # noqa: B023
    return text


def _caller(frames: Iterable[Any]) -> str:
    """The library that exports, if it is not the user's own call: "torch.onnx._internal"."""
    names = [str(frame.f_globals.get("__name__", "")) for frame in frames]
    theirs = [name for name in names if name not in _OWN_CALLS]
    roots = ((name, name.partition(".")[0]) for name in theirs)
    return next((name for name, root in roots if root not in sys.stdlib_module_names), "")


def _below(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the export on, without who called it."""
    return trace.tb_next if trace else None


def _or_none(make: Any) -> Any:
    """What is made of a spec, or nothing of one that makes no sense: the export says so itself."""
    with suppress(Exception):
        return make()
    return ()

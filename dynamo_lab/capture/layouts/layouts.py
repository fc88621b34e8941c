"""What Inductor decides on channels last, graph by graph, and why.

Its function returns a truth value. It logs a sentence where it decides against it; where it does
not, the rules that end in that result are asked in its order, and one that does not hold is no
reason: then it is unknown.
"""

import logging
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch
from msgspec.structs import replace

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.layouts import hooks
from dynamo_lab.capture.lowering.hooks import RUN
from dynamo_lab.capture.lowering.lowering import LoweringProbes
from dynamo_lab.model.layouts.choices import LayoutChoice, Rule


class LayoutProbes:
    """Records the decision on each graph, and on each body of an operator, that is lowered.

    A graph that is frozen has its decision before it is made, so it is kept until it is lowered.
    """

    def __init__(self, recorder: Recorder, lowering: LoweringProbes) -> None:
        self._recorder = recorder
        self._lowering = lowering
        self._local = threading.local()

    def install(self, patches: Patches) -> None:
        """Watch the decision, and the start of a lowering."""
        patches.hook(hooks.DECIDE, self.decided)
        patches.hook(RUN, self.lowered)

    def decided(
        self, gm: Any, *_: Any, is_inference: bool = True, **__: Any
    ) -> Generator[None, Any, None]:
        """Inductor decides on a graph."""
        with sentences() as said:
            chosen = yield
        self._local.made = choice_of(gm, bool(chosen), said, is_inference=is_inference)

    def lowered(self, lowered: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """Inductor lowers the graph that it has decided on last."""
        choice: LayoutChoice | None = self._local.__dict__.pop("made", None)
        graph = self._lowering.graph_of(lowered)
        if choice is not None and graph is not None and not hooks.OF_CONSTANTS.of(lowered):
            self._recorder.layout_choices.append(replace(choice, graph=graph.id))
        yield


def choice_of(gm: Any, chosen: bool, said: list[str], *, is_inference: bool) -> LayoutChoice:
    """What was decided on a graph, with the first of PyTorch's rules that gives this result."""
    nodes: list[Any] = []
    try:
        nodes = [node for node in gm.graph.nodes if _is_convolution(node)]
        rule = _rule(nodes, chosen, said, is_inference)
    except Exception:  # any: what is not as expected is not explained
        rule = "unknown"
    return LayoutChoice(
        graph=0,
        chosen=chosen,
        rule=rule,
        said=said[-1] if rule == "said" else "",
        convolutions=len(nodes),
        is_inference=is_inference,
    )


def _is_convolution(node: Any) -> bool:
    is_plain = node.target is torch.ops.aten.convolution.default
    return is_plain or bool(hooks.ONEDNN_CONVOLUTION.get()(node))


def _rule(nodes: list[Any], chosen: bool, said: list[str], is_inference: bool) -> Rule:
    """The first of PyTorch's rules that gives this result."""
    if not hooks.ENABLED.get():
        return "unknown" if chosen else "off"
    if hooks.FORCED.get():
        return "forced" if chosen else "unknown"
    if not nodes:
        return "unknown" if chosen else "none"
    devices = {node.args[at].meta["val"].device.type for node in nodes for at in (0, 1)}
    if devices == {"cpu"} and _has_onednn():
        return "oneDNN" if chosen else "unknown"
    if not chosen:
        return "said" if said else "unknown"
    if "xpu" in devices:  # where oneDNN may be what decides
        return "unknown"
    return "estimate" if is_inference else "unopposed"


def _has_onednn() -> bool:
    return bool(torch.backends.mkldnn.enabled and torch.backends.mkldnn.is_available())


@contextmanager
def sentences() -> Generator[list[str]]:
    """What PyTorch's function logs in the block, in this thread; nobody else gets more than before.

    Its logger lets everything through meanwhile, and a filter stops again what it would have.
    """
    said: list[str] = []
    logger, thread = logging.getLogger(hooks.DECIDE.module), threading.get_ident()
    level, shown = logger.level, logger.getEffectiveLevel()

    def kept(record: logging.LogRecord) -> bool:
        if record.thread == thread:
            said.append(record.getMessage())
        return record.levelno >= shown

    logger.addFilter(kept)
    logger.setLevel(logging.DEBUG)
    try:
        yield said
    finally:
        logger.setLevel(level)
        logger.removeFilter(kept)

"""What Inductor decides on channels last, graph by graph, and why.

Its function returns a truth value. It logs a sentence where it decides against it; where it does
not, the rules that end in that result are asked in its order, and one that does not hold is no
reason: then it is unknown.
"""

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from dynamo_lab.capture.core.undo import Undo, whole
from dynamo_lab.capture.layouts import hooks
from dynamo_lab.model.layouts.trial import LayoutChoice, Rule


@whole
def layout_choices() -> Iterator[list[LayoutChoice]]:
    """What is decided in the block, of each graph once; it grows while this is open."""
    found: list[LayoutChoice] = []
    undo = Undo()
    if hooks.DECIDE.exists:
        owner, name = hooks.DECIDE.place()
        undo.replace(owner, name, staticmethod(_heard(getattr(owner, name), found)))
    try:
        yield found
    finally:
        undo.run()


def _heard(decide: Any, found: list[LayoutChoice]) -> Any:
    decided: list[Any] = []  # kept, so that no other graph gets the identity of one

    def heard(gm: Any, *args: Any, **kwargs: Any) -> Any:
        with _sentences() as said:
            chosen = decide(gm, *args, **kwargs)
        if not any(gm is one for one in decided):
            decided.append(gm)
            is_inference = bool(kwargs.get("is_inference", True))
            found.append(_choice(gm, bool(chosen), said, is_inference))
        return chosen

    return heard


def _choice(gm: Any, chosen: bool, said: list[str], is_inference: bool) -> LayoutChoice:
    nodes: list[Any] = []
    try:
        nodes = [node for node in gm.graph.nodes if _is_convolution(node)]
        rule = _rule(nodes, chosen, said, is_inference)
    except Exception:  # any: what is not as expected must not end the compilation
        rule = "unknown"
    return LayoutChoice(
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
def _sentences() -> Generator[list[str]]:
    """What PyTorch's function logs in the block, which nobody else gets to see by this."""
    said: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    logger, kept = logging.getLogger(hooks.DECIDE.module), Kept()
    before = logger.level, logger.propagate, logger.handlers[:]
    if not logger.isEnabledFor(logging.DEBUG):
        logger.propagate, logger.handlers = False, []
    try:
        logger.setLevel(logging.DEBUG)
        logger.addHandler(kept)
        yield said
    finally:
        level, logger.propagate, logger.handlers = before
        logger.setLevel(level)

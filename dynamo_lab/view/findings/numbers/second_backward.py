"""The program ended as it went back through compiled code again: by a second loss, or a later step.

Compiled code is one node of autograd, whatever it returns: torch/_functorch/_aot_autograd.
"""

import re
from collections.abc import Iterator

from dynamo_lab.model.recording import Failure
from dynamo_lab.view.core.places import Line, entity_if_known
from dynamo_lab.view.core.words import first_up
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found

_FREED = "Trying to backward through the graph a second time"
_DONATED = "compiled with non-empty donated buffers"
"""PyTorch's words, torch/_functorch/_aot_autograd/runtime_wrappers.py, `_backward_impl`."""

_ASKED = re.compile(r"dynamo_lab[/\\]capture[/\\]core[/\\]running\.py")
"""Where a call with `grad=True` is followed by a backward, which has no line of the user's."""

_OF_COMPILED = re.compile(r"[/\\]_functorch[/\\]_aot_autograd[/\\]")
_BACKWARD = re.compile(r"\b([A-Za-z_]\w*)\.backward\(")
_SETTING = "torch._functorch.config.donated_buffer = False"

_TWICE = (
    "goes back through compiled code a second time. All that one compiled graph returns has one "
    "backward together, and the first to run it frees what was saved; uncompiled, results that "
    "share nothing have a backward each."
)
_KEPT = (
    "keeps the graph of compiled code whose backward was compiled to use up what was saved, as an "
    "earlier `.backward()` without `retain_graph=True` or `create_graph=True` let it: it writes "
    "over those buffers, which are donated."
)
_ADD = "Add the losses and go back once: gradients add up, and come out the same."
_RETAIN = (
    f"Or keep what was saved: before the first call `{_SETTING}`, and `retain_graph=True` in every "
    "backward but the last."
)
_DETACH = (
    "If the first was in an earlier step, and a tensor was kept from there, as a hidden state, "
    "`.detach()` it between the steps."
)
_OWN = (
    "The second one is what `grad=True` asks for: what was called has gone back itself, and leaves "
    "nothing to go back through. Leave `grad=True` out, or return `loss.detach()`."
)
_NOT_DONATED = (
    "Set this before the backward is first compiled, which then saves less memory. Or, if the "
    "graph is kept for a second loss alone, add the losses and go back once."
)


def find(facts: Facts) -> Iterator[Found]:
    """The backward that ended the program, if it was that of compiled code."""
    failure = facts.recording.failure
    if failure is None or not _OF_COMPILED.search(failure.traceback):
        return
    if _FREED in failure.message and failure.span is None and _ASKED.search(failure.traceback):
        yield _found(None, _TWICE, _OWN, "", facts)
    elif _FREED in failure.message:
        line = _line(failure, facts)
        yield _found(line, _TWICE, f"{_ADD} {_RETAIN} {_DETACH}", _sum(line, facts), facts)
    elif _DONATED in failure.message:
        yield _found(_line(failure, facts), _KEPT, _NOT_DONATED, _SETTING, facts)


def _line(failure: Failure, facts: Facts) -> Line | None:
    return None if failure.span is None else facts.places.line_of(failure.span)


def _found(line: Line | None, what: str, remedy: str, code: str, facts: Facts) -> Found:
    where = "" if line is None else facts.places.where(line)
    finding = Finding(
        rule="second-backward",
        question="numbers",
        sentence=first_up(f"{where or 'the program'} {what}"),
        where=where,
        entity=entity_if_known(line),
        evidence=(Evidence(text="what the backward is given", tab="autograd"),),
        grade="fill in",
        remedy=remedy,
        code=code,
        cost=1.0,
    )
    return Found(finding, line=line)


def _sum(line: Line | None, facts: Facts) -> str:
    """One backward of both losses, by their names where the lines tell them."""
    if line is not None:
        source, number = line
        rows = facts.places.whole(source).split("\n")[:number]
        names = list(dict.fromkeys(_BACKWARD.findall("\n".join(rows[-_NEAR:]))))
        if len(names) == 2 and _BACKWARD.search(rows[-1]):
            return f"({names[0]} + {names[1]}).backward()"
    return "(first_loss + second_loss).backward()"


_NEAR = 6
"""So many lines above are taken to be of one step."""

"""A size that was marked dynamic, but that the code needs as a number, or asks more of."""

import re
from typing import NamedTuple

from dynamo_lab.model.frames import Frame
from dynamo_lab.model.guards.symbols import ShapeFact
from dynamo_lab.view.core.names import input_name
from dynamo_lab.view.core.places import Line
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.guards.compilations import Compilations
from dynamo_lab.view.guards.readable import readable
from dynamo_lab.view.guards.remedy import is_written
from dynamo_lab.view.guards.symbols import cause_of

_PYTORCHS_ADVICE = " If you're using "
_A_NUMBER = re.compile(r"to be a constant|to be equal to \d+\b")
_MARKED = re.compile(r"You marked (.+?)\.shape\[\d+\] as dynamic .* to be a constant \((\d+)\)")
_OF_A_RANGE = "satisfy the generated guard"
"""Source: `produce_guards_verbose` in torch/fx/experimental/symbolic_shapes.py, torch 2.13."""
_NUMBER = (
    "Remove the `mark_dynamic`, or use `torch._dynamo.maybe_mark_dynamic`: the code is then for "
    "that size alone. For all sizes at once the line has to work without the number{}."
)
_UNMARKED = (
    "{}, too, and not marked: what the code needs to be equal to it has to be marked as well. "
    "If nothing is, remove the `mark_dynamic`, or use `torch._dynamo.maybe_mark_dynamic`: the code "
    "is then for that size alone."
)
_RANGE = (
    "Leave out `min` and `max`: code is then compiled for the sizes for which the condition holds, "
    "and again for the others. A narrower range does where the condition is a bound; of others "
    "PyTorch does not see that they hold in it. To keep one code for the range, it has to work "
    "without the condition."
)
_OTHER = (
    "Remove the `mark_dynamic`, or use `torch._dynamo.maybe_mark_dynamic`, which demands nothing."
)


class Refused(NamedTuple):
    """Why, in PyTorch's words, the line that needed the number if it is known, what to do."""

    why: str
    line: Line | None
    remedy: str
    code: str = ""


def refused(frame: Frame, facts: Facts) -> Refused | None:
    """What PyTorch said of a mark when the function failed, None if that is not why."""
    fact = facts.refused_marks.get(frame.id)
    if fact is None:
        return None
    line = facts.places.own_line(cause_of(fact, facts.compilations).stack)
    text = facts.places.text(line).strip() if line else ""
    why, _, _ = readable(fact.expression).partition(_PYTORCHS_ADVICE)
    others = _as_large(why, text, fact, facts.compilations)
    if not others:
        return Refused(why, line, _remedy(why, text))
    names = listed([f"`{name}.shape[{at}]`" for name, at in others], 3)
    verb = "is" if len(others) == 1 else "are"
    code = "\n".join(f"torch._dynamo.mark_dynamic({name}, {at})" for name, at in others)
    return Refused(why, line, _UNMARKED.format(f"{names} {verb} of that size"), code)


def _as_large(
    why: str, text: str, fact: ShapeFact, compilations: Compilations
) -> list[tuple[str, int]]:
    """The sizes of other inputs that are the same number, and fixed: a name and a dimension.

    None where the line that needs the number, `text`, has it itself.
    """
    found = _MARKED.match(why)
    if found is None or re.search(rf"\b{found[2]}\b", text):
        return []
    graph = compilations.graphs.get(fact.compile_id)
    inputs = [node for node in graph.nodes if node.op == "placeholder"] if graph else []
    named = [(input_name(graph.nodes, node.index), node.value.shape) for node in inputs if graph]
    return [
        (name, at)
        for name, shape in named
        if name != found[1] and is_written(name) and "." not in name
        for at, one in enumerate(shape)
        if one == found[2]
    ]


def _remedy(why: str, text: str) -> str:
    """What helps against what PyTorch says; `text` is the line that needs the number."""
    if _A_NUMBER.search(why):
        return _NUMBER.format(f": `{text}`" if text else "")
    return _RANGE if _OF_A_RANGE in why else _OTHER

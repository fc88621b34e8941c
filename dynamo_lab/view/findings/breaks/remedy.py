"""What to do about a break: a fix that can be tried with its grade, else the advice on it."""

from typing import NamedTuple

from dynamo_lab.model.breaks import Break
from dynamo_lab.view.breaks.advice import rule_of
from dynamo_lab.view.breaks.around import decides_by_size
from dynamo_lab.view.breaks.breaks import BreakView
from dynamo_lab.view.breaks.fixes import Remedy, remedies
from dynamo_lab.view.breaks.libraries import library_of
from dynamo_lab.view.breaks.math_calls import only_computes_with_it
from dynamo_lab.view.breaks.numpy_draws import draws
from dynamo_lab.view.core.words import begun
from dynamo_lab.view.findings.changes import Change, Helper
from dynamo_lab.view.findings.finding import Facts, Grade

_NUMBER, _SIZE = "capture_scalar_outputs", "capture_dynamic_output_shape_ops"
_GRADIENT = "trace_autograd_ops"
_UNCERTAIN = (_NUMBER, _SIZE, _GRADIENT)
"""What takes this break away and may leave another at the same line: no gain is foretold."""
_DROPS = ("ignore_logging_functions", "remove the call")
_EFFECTS = {
    _NUMBER: "Where the number is a size or an index, or is passed on, the program may break there "
    "instead, or fail to compile. Where a list of all calls keeps it, each call compiles again.",
    "reorderable_logging_functions": "What is printed may come later than other output.",
    "ignore_logging_functions": "What is logged there is lost.",
    "torch.where": "A side that would fail or give no number is computed too.",
    "allow_rnn": "Each time step is captured: compiling takes long, and the result may be no "
    "faster than the module's own kernel. Dropout between its layers draws other random numbers. "
    "A packed sequence breaks there again: its sizes are data.",
    _GRADIENT: "Where the loss, or another result that needs what backward() frees, leaves the "
    "frame with its graph (is returned, or is a name of the cell), the line breaks there again, or "
    "the program fails: return `loss.detach()`.",
    "remove the call": "What the call does is no longer done.",
}


_DRAWN = "PyTorch's generator then draws the number, not NumPy's."


class Mending(NamedTuple):
    """What to do. `ends` says whether the fix is known to take this break away.

    `drops` says whether the call that breaks is no longer made: then nothing that it calls breaks.
    """

    grade: Grade
    text: str
    code: str
    change: Change | None = None
    ends: bool = False
    drops: bool = False


def mending(item: Break, shown: BreakView, facts: Facts) -> Mending:
    """The likeliest fix to try that ends the break, else advice with its example."""
    found = remedies(facts.recording, item, facts.called).found
    fix = next((one for one in found if _can_help(one, facts)), None)
    if fix is not None:
        return _tried(item, fix, facts)
    if not shown.advice:
        return Mending("none", "", "")
    if library_of(item, facts.places):  # whose line nobody is asked to rewrite
        return Mending("none", shown.advice[0], "")
    is_of_rule = shown.advice[0] in map(begun, rule_of(item).advice)  # the example is about that
    code = f"# for example\n{shown.example.after}" if shown.example and is_of_rule else ""
    return Mending("fill in", shown.advice[0], code)


def _can_help(remedy: Remedy, facts: Facts) -> bool:
    """A size that is a symbol breaks again where the next lines decide by it."""
    if remedy.fix.name == _SIZE:
        at = remedy.span
        return not decides_by_size(facts.places.whole(at.source), at.line)
    return not isinstance(remedy.change, Helper)


def _only_computes(item: Break, facts: Facts) -> bool:
    return only_computes_with_it(item, facts.recording, facts.called)


def _tried(item: Break, remedy: Remedy, facts: Facts) -> Mending:
    name = remedy.fix.name
    drawn = name == _NUMBER and draws(item, facts.recording)
    effect = _DRAWN if drawn else _EFFECTS.get(name, "")
    is_asked = name == "remove the call" and "graph_break()" in item.gb_type
    is_plain = name == _NUMBER and not drawn and _only_computes(item, facts)
    is_safe = is_asked or is_plain
    may_end = is_plain or name not in _UNCERTAIN
    words = (remedy.fix.sentence, "" if is_safe else effect)
    return Mending(
        grade="safe" if is_safe else "may change meaning",
        text=" ".join(filter(None, words)),
        code=remedy.fix.code,
        change=remedy.change,
        ends=may_end and item.effect == "resumed",
        drops=name in _DROPS,
    )

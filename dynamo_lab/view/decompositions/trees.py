"""Trees of operators: what a call becomes, one rule per level, down to a set."""

from collections.abc import Iterator, Sequence
from textwrap import dedent

from msgspec import Struct

from dynamo_lab.errors import OptionError
from dynamo_lab.model.decompositions import Call, Decompositions, Rule, Step, Target
from dynamo_lab.view.decompositions.leaves import Leaves

SETS: dict[Target, str] = {"core_aten": "core ATen", "inductor": "Inductor", "prims": "prims"}
"""The titles of the sets."""

ENDS = {
    "set": "in the set",
    "extern": "extern kernel",
    "no rule": "no rule",
    "raised": "its rule raised",
}
"""Why a call remains, in words."""

KINDS = {
    "registered": "registered decomposition",
    "composite": "composite kernel in C++",
    "reference": "reference in torch._refs",
    "function": "the function itself",
}
"""What a rule is, in words."""


def refuse_unknown_set(to: str) -> None:
    """Check that the set exists.

    Raises:
        OptionError: `to` is not one of them.
    """
    if to not in SETS:
        known = ", ".join(f'"{word}"' for word in SETS)
        raise OptionError(f"There is no set of operators {to!r}: pass one of {known}.")


class RuleView(Struct, frozen=True, kw_only=True):
    """A rule. `where` is "torch/_refs/__init__.py:3430", empty where it has no source."""

    kind: str
    name: str
    where: str
    text: str


class CallView(Struct, frozen=True, kw_only=True):
    """An operator on arguments of these shapes.

    For each set, `ways` has the step that is taken (-1 for none), why it remains, and what a rule
    raised; `leaves` how many operators it becomes.
    """

    operator: str
    arguments: str
    value: str
    ways: tuple[tuple[int, str, str], ...] = ()
    leaves: tuple[int, ...] = ()
    problem: str = ""


class StepView(Struct, frozen=True, kw_only=True):
    """A rule applied once. `rows` are (call, name of the result, arguments by name)."""

    rule: int
    inputs: tuple[str, ...]
    rows: tuple[tuple[int, str, str], ...]
    returns: str


class TreesView(Struct, frozen=True, kw_only=True):
    """The data of the trees: calls lead to steps, steps apply rules. All by position."""

    calls: tuple[CallView, ...] = ()
    steps: tuple[StepView, ...] = ()
    rules: tuple[RuleView, ...] = ()


def trees(facts: Decompositions, leaves: Leaves) -> TreesView:
    """The calls, steps and rules of these facts, as the view holds them."""
    return TreesView(
        calls=tuple(_call(index, call, leaves) for index, call in enumerate(facts.calls)),
        steps=tuple(map(_step, facts.steps)),
        rules=tuple(map(_rule, facts.rules)),
    )


def _call(index: int, call: Call, leaves: Leaves) -> CallView:
    return CallView(
        operator=call.operator,
        arguments=call.arguments,
        value=call.value,
        ways=tuple((-1 if w.step is None else w.step, w.end, w.reason) for w in call.ways),
        leaves=tuple(leaves.of(index, to) for to in range(len(call.ways))),
        problem=call.problem,
    )


def _step(step: Step) -> StepView:
    return StepView(
        rule=step.rule,
        inputs=step.inputs,
        rows=tuple((row.call, row.name, row.arguments) for row in step.rows),
        returns=step.returns,
    )


def _rule(rule: Rule) -> RuleView:
    file = rule.file.rpartition("/")[2] if rule.file.endswith(".yaml") else rule.file
    where = f"{file}:{rule.line}" if file else ""
    return RuleView(kind=_kind(rule), name=rule.name, where=where, text=dedent(rule.text))


def _kind(rule: Rule) -> str:
    """What a rule is, in words. Only ATen's composite kernels are known to be C++."""
    is_python = rule.file.endswith(".py") or not rule.name.startswith("aten.")
    return "composite kernel" if rule.kind == "composite" and is_python else KINDS[rule.kind]


class Line(Struct, frozen=True, kw_only=True):
    """One line of a tree. `rule` is what decomposes the call; `end` why it remains, in words."""

    depth: int
    name: str
    operator: str
    arguments: str
    value: str
    leaves: int
    rule: RuleView | None = None
    end: str = ""


def walk(view: TreesView, call: int, to: int, deepest: int = 99) -> Iterator[Line]:
    """A tree in preorder: from its root, each call before what it becomes."""
    root = view.calls[call]
    yield _line(view, call, to, 0, "", root.arguments)
    rows = _rows(view, call, to)
    waiting = [(1, row) for row in reversed(rows)]
    while waiting:
        depth, (child, name, arguments) = waiting.pop()
        yield _line(view, child, to, depth, name, arguments)
        if depth < deepest:
            waiting += ((depth + 1, row) for row in reversed(_rows(view, child, to)))


def _rows(view: TreesView, call: int, to: int) -> Sequence[tuple[int, str, str]]:
    ways = view.calls[call].ways
    return view.steps[ways[to][0]].rows if ways and ways[to][0] >= 0 else ()


def _line(view: TreesView, call: int, to: int, depth: int, name: str, arguments: str) -> Line:
    found = view.calls[call]
    step, end, reason = found.ways[to] if found.ways else (-1, "", found.problem)
    words = ENDS.get(end, "")
    reason = "" if end == "set" else reason  # a rule for other arguments is not worth mentioning
    return Line(
        depth=depth,
        name=name,
        operator=found.operator,
        arguments=arguments,
        value=found.value,
        leaves=found.leaves[to] if found.leaves else 1,
        rule=view.rules[view.steps[step].rule] if step >= 0 else None,
        end=f"{words} ({reason})" if words and reason else words or reason,
    )

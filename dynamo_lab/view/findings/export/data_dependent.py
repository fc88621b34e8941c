"""The program decides by a value that only the run knows."""

import ast
import re
from collections.abc import Iterator

from dynamo_lab.model.packages import Export
from dynamo_lab.view.breaks.around import raises_if
from dynamo_lab.view.breaks.rewrites import Refusal, with_line_above
from dynamo_lab.view.findings.changes import Rewrite
from dynamo_lab.view.findings.export.told import failures, found, line_of, text_of
from dynamo_lab.view.findings.finding import Facts, Found

_GUARD = re.compile(
    r"(?:Consider annotating your code using torch\._check\*\(\)\. )?"
    r"Could not guard on data-dependent expression (.+?) "
    r"\(unhinted"
)
_BRANCH = "Data-dependent branching"
_OF_A_BOOL = re.compile(r"Eq\(u\d+, 1\)$")
_OPENS = re.compile(r"(?:if|while)\b")
_IS_ONE = re.compile(r"[!=]= *1\b")


def find(facts: Facts) -> Iterator[Found]:
    """The line, and how to say it so that both ways are exported, or one alone."""
    for one in failures(facts):
        asked = _GUARD.match(one.message)
        test = _test(text_of(facts, one)) if one.at is not None else ""
        if one.message.startswith(_BRANCH):
            yield _branch(facts, one, test)
        elif asked and test and _OF_A_BOOL.match(asked[1]) and not _IS_ONE.search(test):
            yield _branch(facts, one, test)  # asked of a boolean, which is 1 or 0
        elif asked:
            yield _number(facts, one, test, asked[1])


def _test(line: str) -> str:
    """'x > 3' for 'if x > 3:'; nothing of a line with several questions or none."""
    line = line.removeprefix("el")  # of "elif"
    tree = _parsed(line)
    if tree is None and _OPENS.match(line):  # what it decides is on the lines below
        tree = _parsed(f"{line}\n pass")
    nodes = () if tree is None else ast.walk(tree)
    asked = [node for node in nodes if isinstance(node, ast.If | ast.IfExp | ast.While)]
    return ast.unparse(asked[0].test) if len(asked) == 1 else ""


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


_OPPOSITE: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Eq: ast.NotEq(), ast.NotEq: ast.Eq(), ast.Lt: ast.GtE(), ast.GtE: ast.Lt(),
    ast.Gt: ast.LtE(), ast.LtE: ast.Gt(),
}  # fmt: skip


def _opposite(test: str) -> str:
    """'n == 3' for 'n != 3'; empty where that takes a `not`, which would ask for the value."""
    tree = ast.parse(test, mode="eval").body if test else None
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        return ""
    other = _OPPOSITE.get(type(tree.ops[0]))
    return ast.unparse(ast.Compare(tree.left, [other], tree.comparators)) if other else ""


def _raises(facts: Facts, one: Export) -> bool:
    """Whether the program ends where the test holds, as a check that is written by hand."""
    line = line_of(facts, one)
    return line is not None and raises_if(facts.places.whole(line[0]), line[1])


def _branch(facts: Facts, one: Export, test: str) -> Found:
    if _raises(facts, one):
        return found(
            facts,
            one,
            "data-dependent",
            f"A tensor's values decide{_by(test)} whether the program raises: the exported graph "
            "has no values yet.",
            "`torch._assert_async(condition)` checks a tensor and stays in the graph: with the "
            "condition that has to hold, the opposite of this one. It raises a RuntimeError, "
            "whatever is raised here.",
        )
    return found(
        facts,
        one,
        "data-dependent",
        f"A tensor's values decide which way the program goes{_by(test)}: the exported graph "
        "has no values yet.",
        "Put both ways into the graph: `torch.where` for values, `torch.cond` for computations.",
        code=f"torch.cond({test}, if_true, if_false, (...,))" if test else "",
    )


_AT_A_TEST = (
    "If it is always so, say it before with `torch._check`: where it is not, the program then "
    "raises. If it is not always so, `torch.cond` puts both ways into the graph."
)
_AT_A_RAISE = (
    "Where it is so, the program raises. Say before, with `torch._check`, what has to hold "
    "instead: the check stays in the graph, and raises a RuntimeError of its own."
)


def _number(facts: Facts, one: Export, test: str, asked: str) -> Found:
    by = _by(test) or f" by `{asked}`"
    raises = _raises(facts, one)
    check = f"torch._check({always})" if (always := _opposite(test) if raises else test) else ""
    return found(
        facts,
        one,
        "data-dependent",
        f"A number that only the run knows decides{by}: the exported graph has no value yet.",
        _AT_A_RAISE if raises else _AT_A_TEST,
        code=check,
        grade="may change meaning" if check else "fill in",
        rewrite=_checked(facts, one, check) if check else None,
    )


def _checked(facts: Facts, one: Export, check: str) -> Rewrite | None:
    """The source with the check above the line, where the whole of it is known."""
    line = line_of(facts, one)
    source = facts.recording.sources[line[0]] if line else None
    if line is None or source is None or len(source.excerpts) != 1 or source.kind == "library":
        return None
    [excerpt] = source.excerpts
    try:
        return with_line_above(excerpt.text, line[1], check) if excerpt.first_line == 1 else None
    except (Refusal, SyntaxError, ValueError, RecursionError, MemoryError):  # from anyone
        return None


def _by(test: str) -> str:
    return f" by `{test}`" if test else ""

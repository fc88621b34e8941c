"""What differs between two compilations of a frame: symbols, graph, kernels."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from dynamo_lab.model.graphs import NodeTable
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.values import value_text
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.guards.compilations import Compilations
from dynamo_lab.view.guards.readable import readable

_ROWS = 40
_NODES = 3_000  # of a graph: the time to compare lists grows with the product of their lengths


class ChangesView(Struct, frozen=True, kw_only=True):
    """The differences from an earlier compilation, `against`.

    A row of `graph` is a sign and a text: "-" is gone, "+" is new, "~" produces something else.
    `left` counts the rows that are left out.
    """

    against: str
    symbols: tuple[str, ...] = ()
    graph: tuple[tuple[str, str], ...] = ()
    left: int = 0
    summary: str = ""
    kernels: str = ""


def changes(known: Compilations, before: str, after: str) -> ChangesView | None:
    """From the compilation `before` to the compilation `after`; None where one made no graph."""
    graphs = known.graphs.get(before), known.graphs.get(after)
    if graphs[0] is None or graphs[1] is None:
        return None
    rows = list(_rows(graphs[0].nodes, graphs[1].nodes))
    return ChangesView(
        against=before,
        symbols=tuple(_symbols(known, before, after)),
        graph=tuple(rows[:_ROWS]),
        left=max(0, len(rows) - _ROWS),
        summary=_summary(rows),
        kernels=_kernels(known.code[before], known.code[after]),
    )


def _symbols(known: Compilations, before: str, after: str) -> Iterator[str]:
    if not (known.dynamic(before).has_code and known.dynamic(after).has_code):
        return
    old, new = (_opened(known, compile_id) for compile_id in (before, after))
    for source, name in new.items():
        if source not in old:
            yield f"`{source}` is dynamic now: {name}"
    for source, name in old.items():
        if source not in new:
            # without a guard the code may not read it: a branch not taken, a dict without the key
            is_fixed = known.is_guarded(source, after)
            told = "a constant now; it was dynamic" if is_fixed else "not dynamic now; it was"
            yield f"`{source}` is {told}: {name}"


def _opened(known: Compilations, compile_id: str) -> dict[str, str]:
    """The values that are dynamic, each with its symbol, or what replaced that."""
    opened, symbols = known.dynamic(compile_id).opened, known.symbols[compile_id]
    named = {readable(source): one.value or one.name for one in symbols for source in one.sources}
    return {value: name for value, name in named.items() if value in opened}


def _rows(a: NodeTable, b: NodeTable) -> Iterator[tuple[str, str]]:
    old, new = _calls(a), _calls(b)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "equal":
            for x, y in zip(range(i, i_end), range(j, j_end), strict=True):
                was, now = value_text(a.values[a.value[x]]), value_text(b.values[b.value[y]])
                if was != now:
                    yield "~", f"{new[y]}: {was} \N{RIGHTWARDS ARROW} {now}"
            continue
        yield from (("-", _with_value(a, x, old[x])) for x in range(i, i_end))
        yield from (("+", _with_value(b, y, new[y])) for y in range(j, j_end))


def _calls(nodes: NodeTable) -> list[str]:
    return [_call(nodes, at) for at in range(min(len(nodes), _NODES))]


def _call(nodes: NodeTable, at: int) -> str:
    op, target = nodes.strings[nodes.op[at]], nodes.strings[nodes.target[at]]
    if op == "placeholder":
        return f"input {_plain(target)}"
    arguments = _plain(nodes.arguments[at])
    if op == "output":
        return f"output {arguments}"
    call = arguments if arguments.startswith("(") else f"({arguments})"
    return f"{nodes.name[at]} = {operator_name(target)}{call}"


def _plain(text: str) -> str:
    """The input "l_x_", which Dynamo names after "x", as "x"; not after what has no name."""
    return re.sub(r"\bl_(?!stack\d)(\w+?)_(?!\w)", r"\1", text, flags=re.IGNORECASE)


def _with_value(nodes: NodeTable, at: int, text: str) -> str:
    value = value_text(nodes.values[nodes.value[at]])
    return f"{text}: {value}" if value else text


def _summary(rows: Sequence[tuple[str, str]]) -> str:
    counts = {sign: sum(row[0] == sign for row in rows) for sign in "+-~"}
    words = {"+": "new", "-": "gone", "~": "with another shape or dtype"}
    parts = [f"{plural(count, 'node')} {words[sign]}" for sign, count in counts.items() if count]
    return ", ".join(parts) or "the same graph"


def _kernels(old: dict[str, str], new: dict[str, str]) -> str:
    if not old and not new:
        return ""
    if old == new:
        return f"{plural(len(new), 'kernel')}, with the same code"
    if list(old) == list(new):
        names = "names" if len(new) > 1 else "name"
        return f"{plural(len(new), 'kernel')}, with the same {names} but different code"
    return f"{plural(len(new), 'kernel')}: {_names(new)}; {len(old)} before: {_names(old)}"


def _names(kernels: dict[str, str]) -> str:
    shown = list(kernels)[:4]
    more = f" and {len(kernels) - 4} more" if len(kernels) > 4 else ""
    return f"{', '.join(shown) or 'none'}{more}"

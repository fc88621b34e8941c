"""Guards, recompilations and dynamic sizes, from Dynamo's logs."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from msgspec.structs import replace

from dynamo_lab.capture.traces.log import parsed
from dynamo_lab.capture.traces.texts import TraceTexts
from dynamo_lab.model.guards.guards import FailedGuard, Guard, Recompile
from dynamo_lab.model.guards.symbols import ShapeFact, Symbol

_LONGEST = 500
_LONGEST_CONDITION = 4_000
_MOST = 20_000
"""The most guards of one compilation; the rest is in the artifact, which keeps the whole text."""
_ROW = re.compile(r"^((?:\| )*)\+- ([A-Za-z_]+): (.*)$")
_PLACE = re.compile(r"(\S+):(\d{1,9}) in (\S+)(?: \(HINT: .*\))?")
_REMARK = re.compile(r"\s#\s")
_VALUE = re.compile(r"[LG]\[(?:'[^']*'|\"[^\"]*\")\](?:\.\w+(?:\(\))?|\[[^\[\]]*\])*")
_LOCAL = re.compile(
    r"(?:tensor ')?(?P<name>[A-Za-z_]\w*)(?P<rest>(?:\.\w+|\[[^\[\]]*\])*)(?:' | == -?[\w.]+$)"
)
"""A value of the frame, as reasons name it: "x" of "tensor 'x' size mismatch", "n" of "n == 1"."""
_STRUCTURE = ("Manager", "Accessor")


def guards(text: str, frame: int, compile_id: str, texts: TraceTexts) -> Iterator[Guard]:
    """The guards in a tree of guard managers; a guard checks the value of the manager above it."""
    yield from _with_marks(_rows(text, frame, compile_id, texts))


_MARKS = "DIMENSION_DYNAMIC_MARKING_GUARD"


def _with_marks(rows: Iterator[Guard]) -> Iterator[Guard]:
    """Each tensor's guard with the checks of how its sizes are marked: they are of one guard."""
    last: Guard | None = None
    for row in rows:
        if last is not None and row.kind == _MARKS and row.source == last.source:
            last = replace(last, expressions=(*last.expressions, *row.expressions))
            continue
        if last is not None:
            yield last
        last = row
    if last is not None:
        yield last


def _rows(text: str, frame: int, compile_id: str, texts: TraceTexts) -> Iterator[Guard]:
    """A guard for each line of the tree that is one."""
    sources: list[str] = []
    found = 0
    for line in text.split("\n"):
        row = _ROW.match(line)
        if row is None or found >= _MOST:
            continue
        depth, kind, rest = len(row[1]) // 2, row[2], row[3]
        del sources[depth:]
        sources += [""] * (depth - len(sources))
        above = next((source for source in reversed(sources) if source), "")
        if kind.endswith(_STRUCTURE):
            own, found_end, _ = rest.partition("source=")[2].partition(", accessed_by=")
            sources.append(own if found_end else above)
            continue
        found += 1
        check, stack = asked(rest, texts)
        yield Guard(
            frame=frame,
            compile_id=compile_id,
            kind=kind,
            source=above,
            expressions=(check[:_LONGEST],),
            stack=stack,
        )


def asked(text: str, texts: TraceTexts) -> tuple[str, int | None]:
    """A check, and the stack of the line that asked for it, from the remark behind it."""
    text = text.rstrip()
    before, _, last = text.rpartition("# ")
    place = _PLACE.fullmatch(last.strip())
    if place is None:
        return text, None
    if remark := _REMARK.search(before):
        path, line = texts.path_ending(place[1]), int(place[2])
        texts.quote(path, line, before[remark.end() :].strip())
        span = texts.span(path, line, place[3])
        return before[: remark.start()].rstrip(), texts.stack([span])
    return before.rstrip() if before[-1:].isspace() else text, None  # Dynamo made it by itself


def structured_guards(
    payload: str, frame: int, compile_id: str, texts: TraceTexts
) -> list[Guard] | None:
    """The guards of a `dynamo_guards` record; None where they cannot be read."""
    try:
        told = parsed(payload)
    except ValueError:
        return None
    if not isinstance(told, list):
        return None
    made: list[Guard] = []
    for one in cast("list[Any]", told)[:_MOST]:
        if isinstance(one, dict):
            row = cast("dict[str, Any]", one)
            code = str(row.get("code", ""))[:_LONGEST]
            source = _VALUE.search(code)
            stack = texts.stack(texts.spans_of(row.get("user_stack")))
            made.append(
                Guard(
                    frame=frame,
                    compile_id=compile_id,
                    kind="",
                    source=source[0] if source else "",
                    expressions=(code,),
                    stack=stack,
                )
            )
    return made


def recompile(payload: str, frame: int, compile_id: str, texts: TraceTexts) -> Recompile:
    """Why a frame was compiled again: for each earlier compilation the check that did not hold."""
    try:
        told = parsed(payload)
    except ValueError:
        told = payload
    reasons = cast("list[Any]", told) if isinstance(told, list) else [told]
    failed = tuple(_failed(str(reason), texts) for reason in reasons)
    return Recompile(
        frame=frame,
        compile_id=compile_id,
        failures=tuple((one.compile_id, one.text) for one in failed),
        failed=failed,
    )


def _failed(reason: str, texts: TraceTexts) -> FailedGuard:
    first, _, rest = reason.strip().partition("\n")
    check, stack = asked(first, texts)
    compile_id, separator, condition = check.partition(": ")
    if not separator or "/" not in compile_id:
        compile_id, condition = "", check
    spans = texts.stack_of_traceback(rest)
    condition = condition[:_LONGEST_CONDITION]
    was, _, now = condition.partition("expected ")[2].partition(", actual ")
    value = _VALUE.search(condition)
    local = _LOCAL.match(condition)
    source = value[0] if value else f"L['{local['name']}']{local['rest']}" if local else ""
    equal = condition.rpartition(" == ")[2] if local and " == " in condition else ""
    return FailedGuard(
        compile_id=compile_id,
        text=condition[:_LONGEST],
        source=source[:_LONGEST],
        was=was if now else equal,
        now=now.partition(". ")[0].removesuffix("."),  # of a parameter, advice follows
        stack=texts.stack(spans) if spans else stack,
    )


def with_values(
    recompiles: Iterable[Recompile], guards: Iterable[Guard], symbols: Iterable[Symbol]
) -> tuple[Recompile, ...]:
    """The same, with what a number is now where the code compiled for it tells.

    The log itself says only which check did not hold: `x.scale == 1`.
    """
    now: dict[tuple[int, str, str], str] = {}
    for guard in guards:
        for expression in guard.expressions:
            source, equal, value = expression.partition(" == ")
            if equal and _NUMBER.fullmatch(value):
                now[guard.frame, guard.compile_id, source] = value
    for one in symbols:
        if one.hint:
            now |= {(one.frame, one.compile_id, source): one.hint for source in one.sources}
    return tuple(
        replace(
            item,
            failed=tuple(
                replace(failed, now=now.get((item.frame, item.compile_id, failed.source), ""))
                if failed.was and not failed.now
                else failed
                for failed in item.failed
            ),
        )
        for item in recompiles
    )


_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|True|False")


def symbol(data: Any, frame: int, compile_id: str, texts: TraceTexts) -> Symbol | None:
    """A dynamic size or number, from a `create_symbol` or `create_unbacked_symbol` record."""
    told = _dict(data)
    name = told.get("symbol")
    if not isinstance(name, str):
        return None
    lower, upper = _range(str(told.get("vr", "")))
    source = told.get("source")
    return Symbol(
        frame=frame,
        compile_id=compile_id,
        name=name[:100],
        is_backed="val" in told,
        hint=str(told.get("val", ""))[:100],
        lower=lower,
        upper=upper,
        sources=(source[:_LONGEST],) if isinstance(source, str) else (),
        stack=texts.stack(texts.spans_of(told.get("user_stack"))),
    )


def specialization(data: Any, frame: int, compile_id: str, texts: TraceTexts) -> ShapeFact | None:
    """A symbol that became a constant, or another symbol."""
    told = _dict(data)
    name, value = told.get("symbol"), told.get("value")
    if not isinstance(name, str):
        return None
    sources = told.get("sources")
    source = str(cast("list[Any]", sources)[0]) if isinstance(sources, list) and sources else ""
    number = str(value)
    return ShapeFact(
        frame=frame,
        compile_id=compile_id,
        event="constant" if number.lstrip("-").isdecimal() else "equal",
        expression=f"Eq({name}, {number})"[:_LONGEST],
        symbols=(name[:100],),
        source=source[:_LONGEST],
        stack=texts.stack(texts.spans_of(told.get("user_stack"))),
    )


def assumption(data: Any, frame: int, compile_id: str, texts: TraceTexts) -> ShapeFact | None:
    """A condition on symbols that was assumed (`guard_added`)."""
    told = _dict(data)
    expression = told.get("expr")
    if expression is None:
        return None
    text = str(expression)[:_LONGEST]
    return ShapeFact(
        frame=frame,
        compile_id=compile_id,
        event="guard",
        expression=text,
        symbols=tuple(dict.fromkeys(re.findall(r"\b[suf]\d+\b", text))),
        stack=texts.stack(texts.spans_of(told.get("user_stack"))),
    )


def _dict(data: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}


def _range(text: str) -> tuple[str, str]:
    """'2' and '' of "[2, int_oo]"."""
    lower, _, upper = text.strip().removeprefix("VR").strip("[]").partition(",")
    infinite = ("int_oo", "-int_oo", "oo", "-oo", "inf", "-inf")
    bounds = (part.strip()[:100] for part in (lower, upper))
    first, last = ("" if part in infinite else part for part in bounds)
    return first, last

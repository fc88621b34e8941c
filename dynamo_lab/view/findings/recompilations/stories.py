"""Recompilations grouped into stories: all that one changing value caused is one."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from dynamo_lab.model.guards.guards import FailedGuard, Recompile
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import Timing
from dynamo_lab.view.core.places import Line
from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.guards.compilations import Compilations, at_the_limit
from dynamo_lab.view.guards.dynamic import Dynamic
from dynamo_lab.view.guards.failing import UNKNOWN, Cause, cause
from dynamo_lab.view.guards.own_names import with_parameters
from dynamo_lab.view.guards.readable import is_of_break, readable
from dynamo_lab.view.timings.one_off import one_off
from dynamo_lab.view.timings.timings import compile_seconds, covered_seconds

_Key = tuple[str, str]
_Value = tuple[str, str]
_SMALL = frozenset({"0", "1"})
_OF_SETTINGS = ("setting", "grad_mode")


class Story(NamedTuple):
    """The recompilations that one changing value caused, and what is known of it.

    `values` are those seen, in order; `times` counts the compilations beyond the first, `ids` the
    recompilations by position; of `vain` of them came no code. `new` is what the newest code leaves
    open; `is_pinned` says that `line` needed the number itself, though it could have been dynamic.
    `equal` are the sizes that were the same as one that changed, and did not change with it.
    `seconds` and their `share` of all compiling are without `once`, the seconds of what any first
    compilation would have paid. `at_limit` says what calls do at the limit, if it was reached.
    """

    cause: Cause
    failed: FailedGuard
    frames: tuple[int, ...]
    ids: tuple[int, ...]
    compile_ids: tuple[str, ...]
    subjects: tuple[str, ...]
    values: tuple[str, ...]
    at_limit: str
    vain: int
    new: Dynamic
    is_pinned: bool
    equal: tuple[str, ...]
    line: Line
    seconds: float
    share: float
    once: float

    @property
    def is_open(self) -> bool:
        """Whether the newest code takes other values than the one it was compiled for."""
        return self.cause.subject in self.new.opened

    @property
    def times(self) -> int:
        """The compilations beyond the first; a call at the limit runs eagerly instead."""
        return len(self.compile_ids)


def stories(facts: Facts) -> Iterator[Story]:
    """The stories in the order in which they began."""
    recording = facts.recording
    items = [_in_own_names(item, recording) for item in recording.recompiles]
    keys = [[_key(cause(one), item.frame) for one in item.failed] for item in items]
    common = Counter(key for found in keys for key in set(found))
    seen: set[_Value] = set()
    known = facts.compilations
    groups: dict[_Key, list[tuple[int, Recompile, FailedGuard]]] = {}
    for index, (item, found) in enumerate(zip(items, keys, strict=True)):
        if not found:
            continue
        at = _telling(item, found, common, seen, known)
        groups.setdefault(found[at], []).append((index, item, item.failed[at]))
    teller = _Teller(facts, known)
    yield from (teller.story(group) for group in groups.values())


def _telling(
    item: Recompile,
    keys: Sequence[_Key],
    common: Counter[_Key],
    seen: set[_Value],
    known: Compilations,
) -> int:
    """Which of the failed guards to tell: of those with a value that is new, the most common.

    The first one is of the code that ran last. A value that there was code for already, as grad
    mode "off", is not what made this call different from all before; of a value that is not known,
    as in a log, nothing more is once it was told. Nor is one that only
    older code fixes: what leaves it open did not fit for another reason. Of settings, those that
    the call shares with some code did not bring about a compilation.
    """
    told = [cause(one) for one in item.failed]
    leaving = [known.leaving_open(one.subject, item) for one in told]
    telling = [
        not ids or failed.compile_id in ids
        for failed, ids in zip(item.failed, leaving, strict=True)
    ]
    news = [_value(one, one.now) not in seen for one in told]
    seen.update(_value(one, value) for one in told for value in (one.was or one.now, one.now))
    settings = [one.text.count("; ") if one.kind in _OF_SETTINGS else 0 for one in told]
    return max(
        range(len(keys)),
        key=lambda at: (telling[at], news[at], -settings[at], common[keys[at]], -at),
    )


def _value(found: Cause, value: str) -> _Value:
    """A value of what may have changed: that there is none is said in two ways."""
    return found.subject or found.text, "None" if value == "of type NoneType" else value


def _in_own_names(item: Recompile, recording: Recording) -> Recompile:
    frame = recording.frames[item.frame]
    return replace(item, failed=tuple(with_parameters(one, frame) for one in item.failed))


def _key(found: Cause, frame: int) -> _Key:
    """What recompilations of one story share: sizes that change together are one story.

    What two breaks left has one name, and is not one value.
    """
    if found.kind in ("size", "zero_one"):
        is_small = found.kind == "zero_one" or bool({found.was, found.now} & _SMALL)
        return ("zero_one" if is_small else "size"), ""
    is_left = found.kind in ("value", "object") and is_of_break(found.subject)
    which = f" {frame}" if is_left else ""
    return found.kind, f"{found.subject or found.text}{which}"


class _Teller:
    """What stories are told from, collected once."""

    def __init__(self, facts: Facts, known: Compilations) -> None:
        self._recording, self._places, self._known = facts.recording, facts.places, known
        roots = [timing for timing in facts.recording.timings if timing.parent < 0]
        self._roots = defaultdict[str, list[Timing]](list)
        for timing in roots:
            self._roots[timing.compile_id].append(timing)
        self._total = compile_seconds(facts.recording)
        self._once = tuple(one_off(facts.recording))

    def story(self, group: Sequence[tuple[int, Recompile, FailedGuard]]) -> Story:
        """The story of the recompilations with one key."""
        failures = [failed for _, _, failed in group]
        told = [cause(failed) for failed in failures]
        compiled = [item.compile_id for _, item, _ in group if not item.limit_hit]
        limited = [item for _, item, _ in group if item.limit_hit]
        roots = list(chain.from_iterable(self._roots[one] for one in compiled))
        once = covered_seconds(one for one in self._once if _is_during(one, roots))
        seconds = max(0.0, covered_seconds(roots) - once)
        lines = (self._pinned_at(item, one) for (_, item, _), one in zip(group, told, strict=True))
        equal = (self._equal(item, failed) for _, item, failed in group)
        pinned = next((line for line in lines if line), None)
        return Story(
            cause=told[0],
            failed=failures[0],
            frames=tuple(dict.fromkeys(item.frame for _, item, _ in group)),
            ids=tuple(index for index, _, _ in group),
            compile_ids=tuple(compiled),
            subjects=tuple(dict.fromkeys(one.subject for one in told if one.subject)),
            values=_values(told),
            at_limit=at_the_limit(limited) if limited else "",
            vain=sum(not self._known.has_code(one) for one in compiled),
            new=self._known.dynamic(group[-1][1].compile_id),
            is_pinned=pinned is not None,
            equal=tuple(dict.fromkeys(chain.from_iterable(equal))),
            line=pinned or self._line(group[0][1], failures),
            seconds=seconds,
            share=seconds / self._total if self._total else 0.0,
            once=once,
        )

    def _equal(self, item: Recompile, failed: FailedGuard) -> tuple[str, ...]:
        """The sizes with which one that changed would share a symbol, though they do not change."""
        subject = cause(failed).subject
        return self._known.equal_sizes(failed, subject, item)

    def _pinned_at(self, item: Recompile, found: Cause) -> Line | None:
        """The line that made this compilation need the number itself, if there is one."""
        for symbol in self._known.symbols[item.compile_id]:
            if found.subject in map(readable, symbol.sources) and symbol.value:
                for fact in self._known.shape_facts[item.compile_id]:
                    if fact.event == "constant" and symbol.name in fact.symbols:
                        return self._places.own_line(fact.stack)
        return None

    def _line(self, item: Recompile, failures: Sequence[FailedGuard]) -> Line:
        """The reader's line that the guard is for, else the caller's, else the function's."""
        asked = [line for one in failures if (line := self._places.own_line(one.stack))]
        own = next((line for line in asked if not self._places.is_library(line)), None)
        first = self._places.line_of(self._recording.frames[item.frame].span)
        return own or self._call(item.frame) or (asked[0] if asked else first)

    def _call(self, index: int) -> Line | None:
        """The reader's line that called a frame of a library."""
        for _ in self._recording.frames:
            frame = self._recording.frames[index]
            if frame.caller is None or not self._places.is_library(
                self._places.line_of(frame.span)
            ):
                return None
            source = self._places.line_of(self._recording.frames[frame.caller].span)[0]
            if frame.caller_line and not self._places.is_library((source, frame.caller_line)):
                return source, frame.caller_line
            index = frame.caller
        return None


def _is_during(timing: Timing, roots: Sequence[Timing]) -> bool:
    return any(root.start <= timing.start < root.start + root.seconds for root in roots)


def _values(told: Sequence[Cause]) -> tuple[str, ...]:
    """The values in the order in which they came; last that there is one which is not known."""
    seen = (value for one in told for value in (one.was, one.now))
    named = (value for value in seen if value and not value.startswith("of type "))
    return tuple(sorted(dict.fromkeys(named), key=lambda value: value == UNKNOWN))

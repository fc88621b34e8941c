"""A recording held against what a test expects of it."""

import difflib
import inspect
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from dynamo_lab.errors import CheckFailed, OptionError
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.plain import visible
from dynamo_lab.view.failures import cause
from dynamo_lab.view.names import frame_names, is_own
from dynamo_lab.view.places import Places
from dynamo_lab.view.words import plural

R = TypeVar("R", bound=Recording)

_SHOWN = 10
"""How many facts of one miss a message lists."""


def check(
    recording: R,
    *,
    breaks: int | None = None,
    graphs: int | None = None,
    recompiles: int | None = None,
    frames: int | None = None,
    max_kernels: int | None = None,
    failures: int | None = 0,
    **unknown: object,
) -> R:
    """Return the recording if it is as expected, else raise `CheckFailed` with the facts.

    A program that raised, or a recording that was not finished, never passes: what it lacks
    would count as nought. For the same reason no probe may have failed, unless `failures` says
    how many may, or None, which does not look.

    Args:
        recording: What `explore`, `record` or `load` gave.
        breaks: How many graph breaks.
        graphs: How many graphs Dynamo captured.
        recompiles: How many compilations were made again because guards failed.
        frames: How many frames, without those of libraries that Dynamo skipped.
        max_kernels: The most kernels, those of libraries included.
        failures: How many probes failed, so that something is missing.
        **unknown: A name that is none of these is an error that names the nearest.
    """
    refuse_others("check", recording)
    for name in unknown:
        raise TypeError(_advice(name))
    expected = {
        "breaks": breaks,
        "graphs": graphs,
        "recompiles": recompiles,
        "frames": frames,
        "max_kernels": max_kernels,
        "failures": failures,
    }
    misses = list(_misses(recording, expected))
    if misses:
        title = visible(recording.title) or "the recording"
        raise CheckFailed("\n".join([f"{title} is not as expected:", *misses]))
    return recording


def options() -> dict[str, str]:
    """The names that `check` understands, each with its sentence."""
    doc = inspect.getdoc(check) or ""
    lines = [line.strip() for line in doc.partition("Args:")[2].splitlines()]
    told = {name: text for name, _, text in (line.partition(": ") for line in lines)}
    return {name: told.get(name, f"How many {name}.") for name in _COUNTS}  # -OO strips docs


def refuse_others(function: str, *values: object) -> None:
    """Raise a TypeError, for `function`, where a value is not a recording."""
    for value in values:
        if not isinstance(value, Recording):
            raise TypeError(
                f"{function}() takes recordings, not {type(value).__name__}: pass what explore() "
                "or load() returned, or the `recording` of what record() gave."
            )


def frames_that_matter(recording: Recording) -> list[Frame]:
    """All frames but those of libraries that Dynamo skipped, as it does with torch's own."""
    return [frame for frame in recording.frames if is_own(recording, frame)]


def _misses(recording: Recording, expected: dict[str, int | None]) -> Iterator[str]:
    if recording.failure is not None:
        failure = recording.failure
        yield f"- the program failed: {visible(cause(failure.type, failure.message))}"
    if recording.state != "done":
        yield "- the recording was not finished"
    for name, wanted in expected.items():
        if wanted is None:
            continue
        if not _is_count(wanted):
            raise OptionError(f"{name}={wanted!r} is no count: pass a whole number from 0.")
        count = _COUNTS[name]
        facts = count.facts(recording)
        if len(facts) > wanted or (len(facts) < wanted and not count.is_limit):
            yield _miss(count, wanted, facts)


def _miss(count: "_Count", wanted: int, facts: list[str]) -> str:
    limit = "at most " if count.is_limit else ""
    head = f"- expected {limit}{plural(wanted, count.unit)}, found {len(facts)}"
    lines = [f"    {visible(fact)}" for fact in facts[:_SHOWN]]
    if len(facts) > _SHOWN:
        lines.append(f"    and {len(facts) - _SHOWN} more")
    return "\n".join([head + (":" if lines else ""), *lines])


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _advice(name: str) -> str:
    nearest = difflib.get_close_matches(name, _COUNTS, n=1, cutoff=0.4)
    known = ", ".join(_COUNTS)
    hint = f"did you mean {nearest[0]!r}?" if nearest else "it is none of its options."
    return f"check() has no option {name!r}: {hint} There are {known}."


def _breaks(recording: Recording) -> list[str]:
    places = Places(recording)
    return [
        f"{places.where_span(b.span)}: {b.gb_type or b.reason}"
        + (f" ({b.registry_id})" if b.registry_id else "")
        for b in recording.breaks
    ]


def _graphs(recording: Recording) -> list[str]:
    return [
        f"graph {number}: {plural(g.operators, 'operator')} of {_frame(recording, g.frame)}"
        for number, g in enumerate(recording.captured_graphs(), 1)
    ]


def _recompiles(recording: Recording) -> list[str]:
    return [
        f"{_frame(recording, r.frame)}, compilation {r.compile_id}: "
        + ("; ".join(reason for _, reason in r.failures) or "no reason was recorded")
        for r in recording.recompiles
    ]


def _frames(recording: Recording) -> list[str]:
    return [
        f"{_frame(recording, f.id)}: {f.outcome}" + (f", {f.reason}" if f.reason else "")
        for f in frames_that_matter(recording)
    ]


def _kernels(recording: Recording) -> list[str]:
    return [f"{k.name} ({k.language})" for k in recording.kernels]


def _failures(recording: Recording) -> list[str]:
    return [f"{n.about}: {n.message}" for n in recording.notes if n.level == "failure"]


def _frame(recording: Recording, frame: int | None) -> str:
    if frame is None:
        return "an unknown frame"
    where = Places(recording).where_span(recording.frames[frame].span)
    return f"{frame_names(recording)[frame]} ({where})"


class _Count(NamedTuple):
    unit: str
    facts: Callable[[Recording], list[str]]
    is_limit: bool = False


_COUNTS = {
    "breaks": _Count("break", _breaks),
    "graphs": _Count("graph", _graphs),
    "recompiles": _Count("recompile", _recompiles),
    "frames": _Count("frame", _frames),
    "max_kernels": _Count("kernel", _kernels, is_limit=True),
    "failures": _Count("failed probe", _failures),
}

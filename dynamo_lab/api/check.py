"""A recording compared with what a test expects of it."""

import difflib
import inspect
from collections.abc import Mapping, Sequence
from typing import TypeVar

from dynamo_lab.errors import CheckFailed, OptionError
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.text import as_line
from dynamo_lab.view.compare.misses import COUNTS, Miss, misses
from dynamo_lab.view.core.places import Places

R = TypeVar("R", bound=Recording)

SHOWN = 10
"""The most facts of one mismatch that a message lists."""


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
    would count as zero. For the same reason no probe may have failed, unless `failures` says
    how many may; None does not check.

    Args:
        recording: What `explore`, `record` or `load` gave.
        breaks: How many graph breaks.
        graphs: How many graphs Dynamo captured.
        recompiles: How many recompilations because guards failed.
        frames: How many frames, without those of libraries that Dynamo skipped.
        max_kernels: The most kernels, those of libraries included.
        failures: How many probes failed, so that something is missing.
        **unknown: Any other name is an error that names the nearest.
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
    if found := found_misses(recording, expected):
        raise CheckFailed(report(recording, found))
    return recording


def options() -> dict[str, str]:
    """The names that `check` understands, each with its description."""
    doc = inspect.getdoc(check) or ""
    lines = [line.strip() for line in doc.partition("Args:")[2].splitlines()]
    told = {name: text for name, _, text in (line.partition(": ") for line in lines)}
    return {name: told.get(name, f"How many {name}.") for name in COUNTS}  # -OO strips docs


def refuse_others(function: str, *values: object) -> None:
    """Raise a TypeError, for `function`, where a value is not a recording."""
    for value in values:
        if not isinstance(value, Recording):
            raise TypeError(
                f"{function}() takes recordings, not {type(value).__name__}: pass what explore() "
                "or load() returned, or the `recording` of what record() gave."
            )


def found_misses(recording: Recording, expected: Mapping[str, int | None]) -> list[Miss]:
    """The expectations that a recording does not meet.

    Raises:
        OptionError: what is expected is not a count.
    """
    refuse_no_counts(expected)
    return list(misses(recording, expected))


def refuse_no_counts(expected: Mapping[str, int | None]) -> None:
    """Raise an OptionError if what is expected is not a count."""
    for name, wanted in expected.items():
        if wanted is not None and not _is_count(wanted):
            raise OptionError(f"{name}={wanted!r} is not a count: pass an integer from 0.")


def report(recording: Recording, found: Sequence[Miss], *, with_code: bool = False) -> str:
    """The mismatches as text: what was expected, what was found where, with the lines if asked."""
    title = as_line(recording.title) or "the recording"
    places = Places(recording) if with_code else None
    return "\n".join([f"{title} is not as expected:", *(_told(miss, places) for miss in found)])


def _told(miss: Miss, places: Places | None) -> str:
    lines: list[str] = []
    for one in miss.found[:SHOWN]:
        lines.append(f"    {as_line(one.text)}")
        if places and one.line and (code := places.text(one.line).strip()):
            lines.append(f"        {one.line[1]} | {as_line(code)}")
    if len(miss.found) > SHOWN:
        lines.append(f"    and {len(miss.found) - SHOWN} more")
    return "\n".join([f"- {as_line(miss.sentence)}{':' if lines else ''}", *lines])


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _advice(name: str) -> str:
    nearest = difflib.get_close_matches(name, COUNTS, n=1, cutoff=0.4)
    known = ", ".join(COUNTS)
    hint = f"did you mean {nearest[0]!r}?" if nearest else "it is not one of its options."
    return f"check() has no option {name!r}: {hint} The options are {known}."

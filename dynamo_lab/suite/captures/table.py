"""What a run over the corpus comes to: a row a family, and the kinds of breaks."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.suite.captures.facts import WAYS, Captured, Verdict, Way

_OTHERWISE: tuple[Verdict, ...] = ("parts", "nothing")
_ENDED: tuple[Verdict, ...] = ("failed", "crashed", "timed out", "out of memory")


class Row(Struct, frozen=True, kw_only=True):
    """Numbers of programs of a family. Those that eager PyTorch runs are counted further.

    `whole`, `broken`, `otherwise` and `failed` are Dynamo's and add up to `ran`, but for programs
    that it was not come to. `otherwise` is captured in parts without a break, or not at all. `of`
    is how many programs there are, 0 where that is not known.
    """

    family: str
    tried: int
    of: int
    ran: int
    whole: int
    broken: int
    otherwise: int
    failed: int
    script: int
    export: int


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of break: in how many programs it is, how often in all, and one of them."""

    name: str
    programs: int
    times: int
    example: str


class Problem(Struct, frozen=True, kw_only=True):
    """A program that a way did not capture whole though eager runs it."""

    program: str
    way: Way
    verdict: Verdict
    reason: str


class CaptureTable(Struct, frozen=True, kw_only=True):
    """The whole table. `seconds` is what all programs took together.

    `seed` is that of the random sample that all the programs are of, if they are of one.
    """

    rows: tuple[Row, ...]
    total: Row
    kinds: tuple[Kind, ...]
    problems: tuple[Problem, ...]
    software: tuple[str, ...]
    seconds: float
    seed: int | None


def build(facts: Sequence[Captured]) -> CaptureTable:
    """The table of these facts."""
    of = _sizes(facts)
    seeds = {fact.seed for fact in facts}
    return CaptureTable(
        rows=tuple(
            _row(name, [one for one in facts if one.family == name], size)
            for name, size in of.items()
        ),
        total=_row("all", facts, sum(of.values()) if all(of.values()) else 0),
        kinds=tuple(_kinds(facts)),
        problems=tuple(_problems(facts)),
        software=tuple(sorted({fact.software for fact in facts if fact.software})),
        seconds=sum(fact.seconds for fact in facts),
        seed=seeds.pop() if len(seeds) == 1 else None,
    )


def _sizes(facts: Sequence[Captured]) -> dict[str, int]:
    """How many programs each family has, as the last fact that knows says, largest first."""
    of: dict[str, int] = {}
    for fact in facts:
        of[fact.family] = fact.of or of.get(fact.family, 0)
    return dict(sorted(of.items(), key=lambda item: -item[1]))


def _row(family: str, facts: Sequence[Captured], of: int) -> Row:
    ran = [fact for fact in facts if fact.runs]
    of_dynamo = Counter(
        fact.outcomes["dynamo"].verdict for fact in ran if "dynamo" in fact.outcomes
    )
    return Row(
        family=family,
        tried=len(facts),
        of=of,
        ran=len(ran),
        whole=of_dynamo["whole"],
        broken=of_dynamo["breaks"],
        otherwise=sum(of_dynamo[verdict] for verdict in _OTHERWISE),
        failed=sum(of_dynamo[verdict] for verdict in _ENDED),
        script=sum(fact.is_whole("script") for fact in ran),
        export=sum(fact.is_whole("export") for fact in ran),
    )


def _kinds(facts: Sequence[Captured]) -> Iterator[Kind]:
    times: Counter[str] = Counter()
    within: dict[str, list[str]] = {}
    for fact in facts:
        times.update(fact.breaks)
        for name in fact.breaks:
            within.setdefault(name, []).append(fact.program)
    for name in sorted(within, key=lambda name: (-len(within[name]), name)):
        programs = within[name]
        yield Kind(name=name, programs=len(programs), times=times[name], example=programs[0])


def _problems(facts: Sequence[Captured]) -> Iterator[Problem]:
    for fact in facts:
        for way in WAYS if fact.runs else ("eager",):
            found = fact.outcomes.get(way)
            if found and found.verdict != "whole":
                yield Problem(program=fact.program, way=way, verdict=found.verdict,
                              reason=found.reason)  # fmt: skip

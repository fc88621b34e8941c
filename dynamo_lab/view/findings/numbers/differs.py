"""A compiled program whose results differ from eager's: as a benchmark or a bisection found."""

from collections.abc import Iterator

from dynamo_lab.model.bisections import CACHES, Bisection
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.bisections import bisections
from dynamo_lab.view.core.names import custom_operators
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.findings.numbers.wrong_fake import MEND_FAKE

_REMEDY = (
    "Ask which part of the compiler makes it, and whether that is rounding: it takes at most 15 "
    "compilations."
)


_UNCACHED = (
    "Turn the caches off before the first call, and report it to PyTorch: every graph is then "
    "compiled anew, in each process."
)


def find(facts: Facts) -> Iterator[Found]:
    """Nothing of a program that was neither compared nor searched."""
    recording = facts.recording
    if recording.bisection is not None:
        yield from _searched(recording.bisection, facts)
    else:
        yield from _compared(recording)


def _compared(recording: Recording) -> Iterator[Found]:
    """What a benchmark says of variants that `torch.compile` made."""
    bench = recording.benchmark
    if bench is None:
        return
    wrong = [
        one
        for one in bench.comparisons
        if one.verdict == "wrong" and bench.ways[one.way].kind == "compiled"
    ]
    if not wrong:
        return
    values = list(dict.fromkeys(one.value for one in wrong))
    others = f" and {len(values) - 1} more" if len(values) > 1 else ""
    name = bench.ways[wrong[0].way].name
    finding = Finding(
        rule="numbers-differ",
        question="numbers",
        sentence=f"The compiled program ({name}) gives another result than eager: {values[0]}"
        f"{others} is beyond what is taken for rounding.",
        evidence=(Evidence(text=f"{name}: {bench.ways[wrong[0].way].problem}", tab="bench"),),
        grade="none",
        remedy=_REMEDY,
        code="rec.bisect()",
        cost=1.0,
    )
    yield Found(finding)


def _once(recording: Recording) -> str:
    """What to do before: an operator that is not PyTorch's may be at fault."""
    if not custom_operators(recording):
        return ""
    return ", once `torch.library.opcheck` passes for the program's own operators"


def _remedy(bisection: Bisection, recording: Recording) -> tuple[str, str]:
    """What to do, and the code for it."""
    if any(one.kind == "fake" for one in bisection.culprits):
        return MEND_FAKE, ""
    if any(one.name == CACHES for one in bisection.culprits):
        return _UNCACHED, "torch.compiler.config.force_disable_caches = True"
    file = f"Report it to PyTorch with a file that reproduces it{_once(recording)}."
    return file, "print(rec.bisect().reproducer().issue())"


def _searched(bisection: Bisection, facts: Facts) -> Iterator[Found]:
    """What a search found; nothing where the difference is rounding, or none."""
    shown = bisections.build(facts.recording, facts.places, facts.ancestry)
    if shown is None or bisection.verdict not in ("bug", "crash"):
        return
    remedy, code = _remedy(bisection, facts.recording)
    finding = Finding(
        rule="miscompiled",
        question="numbers",
        sentence=f"{shown.title}. {shown.sentence}",
        where=shown.where,
        entity=shown.entity,
        evidence=(Evidence(text=shown.because, tab="bench"),),
        grade="none",
        remedy=remedy,
        code=code,
        cost=1.0,
    )
    yield Found(finding)

"""Work that is done once for a machine or a process, and is not the program's."""

from collections.abc import Iterator

from dynamo_lab.view.core.words import percent
from dynamo_lab.view.core.words import seconds as duration
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.timings.one_off import one_off
from dynamo_lab.view.timings.timings import compile_seconds, covered_seconds

_LEAST_SHARE = 0.3


def find(facts: Facts) -> Iterator[Found]:
    """A note: the next compilation of the process does not pay it again."""
    spent = covered_seconds(one_off(facts.recording))
    whole = compile_seconds(facts.recording)
    if whole <= 0 or spent / whole < _LEAST_SHARE:
        return
    finding = Finding(
        rule="cold-start",
        question="compile_time",
        level="note",
        sentence=(
            f"{percent(spent / whole)} of compiling, {duration(spent)}, is not about this program: "
            "headers are precompiled and PyTorch's own sources hashed, once for a process. A "
            "second compilation in this process does not pay it."
        ),
        evidence=(Evidence(text="compile_file, triton_key, torch_key", tab="timeline"),),
        cost=spent / whole,
    )
    yield Found(finding)

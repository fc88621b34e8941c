"""Compiled code stopped at a result that is not as the operator's fake says."""

import re
from collections.abc import Iterator

from dynamo_lab.view.core.names import calls_of, custom_operators
from dynamo_lab.view.core.origins import origin_of
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found

MEND_FAKE = (
    "Make the fake return an empty tensor with the type, shape and strides of what the operator "
    "returns; `torch.library.opcheck` compares the two."
)
_STOPPED = re.compile(r"^Error in op: torch\.ops\.(\w+)\.(\w+)", re.MULTILINE)
"""How Inductor's `assert_size_stride` ends its message, torch/_C/_dynamo/guards.cpp."""


def find(facts: Facts) -> Iterator[Found]:
    """Nothing where a search already said so."""
    recording = facts.recording
    failure = recording.failure
    stopped = _STOPPED.search(failure.message) if failure and not recording.bisection else None
    if failure is None or stopped is None:
        return
    name = f"{stopped[1]}::{stopped[2]}"
    if name not in custom_operators(recording):
        return
    origin = origin_of(calls_of(recording, name), recording, facts.places)
    yield Found(
        Finding(
            rule="wrong-fake",
            question="numbers",
            sentence=f"The compiled code stopped at a result of `{name}`: its shape or strides are "
            "not those that `register_fake` says.",
            where=origin.where,
            entity=origin.entity,
            evidence=(Evidence(text=failure.message.partition("\n")[0], tab=""),),
            grade="fill in",
            remedy=MEND_FAKE,
            cost=1.0,
        )
    )

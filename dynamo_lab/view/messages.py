"""What the kernel tells an open view, beside the view itself: the front-end's types are these."""

from typing import Any, Literal, TypedDict

from dynamo_lab.view.compare.side_by_side import PairView


class Progress(TypedDict, total=False):
    """How far a run or a compile is; without a stage nothing has begun."""

    active: bool
    stage: str
    detail: str
    fraction: float | None
    seconds: float


class FileMessage(TypedDict):
    """A part of the front-end, or a file for the reader: its bytes come beside the message."""

    type: Literal["asset", "file"]
    name: str


class Answered(TypedDict, total=False):
    """The answer to a question, or the sentence to show instead."""

    answer: Any
    error: str


class AnswerMessage(Answered):
    """An answer, with the number of its question."""

    type: Literal["answer"]
    request: int


class TrialOutcome(TypedDict):
    """What came of a fix. `counts` are a name, how many before, and how many after."""

    fix: str
    counts: tuple[tuple[str, int, int], ...]
    numbers: str
    same: bool | None
    failure: str
    new_breaks: list[str]


class JobTrialOutcome(TypedDict):
    """What came of a setting of DDP that a job was tried with: sentences, and whether to write it.

    `is_faster` is None where no difference can be told.
    """

    fix: str
    sentences: list[str]
    is_faster: bool | None


class AppliedOutcome(TypedDict):
    """What came of applying findings. `rows` are a metric, how much before, and how much after."""

    verdict: Literal["helped", "hurt", "no difference", "not known"]
    sentence: str
    rows: tuple[tuple[str, str, str], ...]
    numbers: str
    same: bool | None
    failure: str
    new_breaks: list[str]


class LoweredOutcome(TypedDict):
    """What came of lowering again: how it failed, empty if it did not."""

    failure: str


class MeasuredOutcome(TypedDict):
    """What came of measuring or of a search: the benchmark's state, or the verdict."""

    state: str


Outcome = TrialOutcome | JobTrialOutcome | AppliedOutcome | LoweredOutcome | MeasuredOutcome


class Ran(TypedDict, total=False):
    """What came of a run with the label of its recording, or the sentence to show instead.

    `pairs` compares the recording to each that is shown.
    """

    label: str
    outcome: Any  # an Outcome: msgspec knows no choice of dictionaries
    pairs: list[PairView]
    error: str


class RanMessage(Ran):
    """What came of a run, with the number of its request; the new view comes beside the message."""

    type: Literal["ran"]
    request: int

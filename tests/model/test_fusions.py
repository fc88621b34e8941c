"""Schedules and memory plans survive the way to a file, and refer only to what exists."""

import json
import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from dynamo_lab.errors import RecordingFileError
from dynamo_lab.model.core import codec
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.validate import validate
from dynamo_lab.view import build
from tests.view.samples import scheduled


def test_a_saved_schedule_loads_equal() -> None:
    recording = scheduled()
    assert validate(recording) is None
    assert codec.decode(codec.encode(recording)) == recording


def test_verdicts_by_name() -> None:
    found = [(item.producer, item.consumer, item.outcome) for item in scheduled().fusions]
    assert found == [
        (("op0",), ("op1",), "fused"),
        (("op0",), ("op3",), "refused"),
        (("op1",), ("op3",), "possible"),
        (("op0", "op1"), ("op3",), "refused"),
    ]


def _changed(**changes: Any) -> Recording:
    recording = scheduled()
    return replace(recording, schedules=(replace(recording.schedules[0], **changes),))


@pytest.mark.parametrize(
    "changes",
    [
        {"graph": 99},
        {"start": (0, 7)},
        {"rounds": ()},
        {"groups": ()},
        {"final": (msgspec.convert({"group": 9}, type=type(scheduled().schedules[0].final[0])),)},
        {"operations": scheduled().schedules[0].operations[:2]},
    ],
)
def test_schedules_name_what_there_is(changes: dict[str, Any]) -> None:
    problem = validate(_changed(**changes))
    assert problem is not None
    assert "schedules[0]" in problem


@pytest.mark.parametrize("seed", range(6))
def test_what_is_let_in_can_be_shown(seed: int) -> None:
    """Digits for digits keeps the JSON sound, so that the cross-references are reached."""
    rng = random.Random(seed)
    whole = codec.encode(scheduled())
    start = whole.index(b'"schedules"')
    digits = [at for at in range(start, len(whole)) if chr(whole[at]).isdigit()]
    shown = 0
    for _ in range(150):
        data = bytearray(whole)
        for at in rng.sample(digits, rng.choice((1, 1, 2, 6))):
            data[at] = rng.choice(b"0123456789")
        try:
            recording = codec.decode(bytes(data))
        except RecordingFileError:
            continue
        assert json.loads(msgspec.json.encode(build(recording).fusions))
        shown += 1
    assert shown > 5

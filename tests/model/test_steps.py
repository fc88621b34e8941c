"""Films on their way to a file and back: columns stay numbers, and damage is found."""

from typing import Any

import pytest
from msgspec.structs import replace

from dynamo_lab.errors import RecordingFileError
from dynamo_lab.model.core import codec
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.steps import StepTable, pack, unpack
from tests.view.samples import film as sample


@pytest.fixture
def film() -> StepTable:
    found = sample().film
    assert found is not None
    return found


def test_numbers_come_back() -> None:
    assert list(unpack(pack([0, -1, 2**31 - 1]))) == [0, -1, 2**31 - 1]
    assert pack([1, -1]) == b"\x01\0\0\0\xff\xff\xff\xff"
    assert not unpack(pack([]))


def test_a_film_comes_back_from_a_file() -> None:
    assert codec.decode(codec.encode(sample())) == sample()


def test_stack_and_locals_after_a_step(film: StepTable) -> None:
    assert [value.kind for value in film.stack_after(1)] == ["NullVariable", "TensorVariable"]
    assert film.stack_after(0) == ()
    assert list(film.locals_after(9)) == ["a"]
    assert film.locals_after(10)["a"].source == "L['x']"
    assert list(film.locals_after(5)) == ["x"]


def test_equal_stacks_share_their_cells(film: StepTable) -> None:
    cells = unpack(film.stack)
    assert cells[1] == cells[7]
    assert len(unpack(film.below)) < len(film)


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ({"call": b"abc"}, "film.call is not a column of numbers"),
        ({"stack": b""}, "differ in length"),
        ({"bound": pack([0])}, "film.bound is not made of three columns"),
        ({"bound": pack([99, 0, 0])}, "film.bound is 99, but there are 12"),
        ({"call": pack([7] * 12)}, "film.call is 7, but there are 4"),
        ({"instruction": pack([40] * 12)}, "film.instruction is 40, but its code has 4"),
        ({"instruction": pack([-1] * 12)}, "film.instruction is -1"),
        ({"stack": pack([50] * 12)}, "film.stack is 50"),
        ({"values": ()}, "film.held is 1, but there are 0"),
        ({"codes": ()}, r"film.calls\[0\].code is 0, but there are 0 codes"),
        ({"below": pack([0, 1, 2])}, "film"),
    ],
)
def test_damage_is_named(film: StepTable, damage: dict[str, Any], complaint: str) -> None:
    _refused(replace(film, **damage), complaint)


def test_rows_that_lead_nowhere(film: StepTable) -> None:
    calls = (replace(film.calls[0], parent=0), *film.calls[1:])
    _refused(replace(film, calls=calls), "film.calls do not lead to a frame")
    takes = (film.takes[0], replace(film.takes[1], first=2))
    _refused(replace(film, takes=takes), "has steps that are not its own")
    _refused(replace(film, takes=film.takes[:1]), "last steps are in no take")
    _refused(replace(film, nodes=film.nodes[::-1]), "not in the order of their steps")
    takes = (replace(film.takes[0], frame=3), film.takes[1])
    _refused(replace(film, takes=takes), r"film.takes\[0\].frame is 3, but there are 2 frames")


def _refused(film: StepTable, complaint: str) -> None:
    recording = replace(sample(), film=film)
    with pytest.raises(RecordingFileError, match=complaint):
        codec.decode(codec.encode(recording), Recording)

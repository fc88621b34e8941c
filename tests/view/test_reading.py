"""What is said on reading a view: short, about views that there are, and the same everywhere."""

import re
from pathlib import Path

import pytest

from dynamo_lab.model.recording import Recording
from dynamo_lab.render import terminal
from dynamo_lab.view import build
from dynamo_lab.view.help.help import READINGS, Reading, blocks, reading_of

TABS = Path(__file__).parents[2] / "dynamo_lab/frontend/src/core/tabs.ts"


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.view)
def test_each_is_short_and_has_an_example(reading: Reading) -> None:
    assert reading.sentence.endswith(".")
    assert len(reading.sentence) <= 100
    assert "\n" not in reading.sentence
    told = list(blocks(reading.paragraph))
    prose = " ".join(text for is_example, text in told if not is_example)
    examples = [text for is_example, text in told if is_example]
    assert len(prose) <= 480
    assert examples
    assert all(len(line) <= 92 for text in examples for line in text.splitlines())
    assert prose.count("`") % 2 == 0


def test_every_tab_has_one_and_no_other_has() -> None:
    tabs = re.search(r"export const TABS = \[(.*?)\]", TABS.read_text("utf-8"), re.DOTALL)
    assert tabs
    names = set(re.findall(r'"(\w+)"', tabs[1]))
    read = [reading.view for reading in READINGS]
    assert len(set(read)) == len(read)
    assert names <= set(read)
    assert set(read) <= names | set(terminal.SECTIONS) | {"pairs", "roofline"}


def test_the_view_has_them() -> None:
    assert build(Recording(title="")).readings == READINGS


def test_by_name() -> None:
    found = reading_of("breaks")
    assert found is not None
    assert found.view == "breaks"
    assert reading_of("summary") is None


def test_a_break_is_also_what_fullgraph_refuses() -> None:
    found = reading_of("breaks")
    assert found is not None
    assert "`fullgraph=True` makes it fail" in found.sentence


def test_blocks_tell_examples_from_prose() -> None:
    assert list(blocks("One\ntwo.\n\n    a\n      b\n\nThree.")) == [
        (False, "One two."),
        (True, "a\n  b"),
        (False, "Three."),
    ]

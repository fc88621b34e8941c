"""The whole view: what it survives, and that it stays small and plain."""

from collections.abc import Callable

import msgspec
import pytest
from msgspec.structs import replace

from dynamo_lab.model.recording import Recording
from dynamo_lab.view import View, build

Make = Callable[[str], Recording]


@pytest.mark.parametrize(
    "name",
    [
        "branch_and_print",
        "skipped",
        "fullgraph_failed",
        "recompiled",
        "sizes",
        "cut",
        "hostile",
        "big",
        "rewritten",
    ],
)
def test_a_view_survives_json(make: Make, name: str) -> None:
    view = build(make(name))
    assert msgspec.json.decode(msgspec.json.encode(view), type=View) == view


def test_an_empty_recording_has_a_view() -> None:
    view = build(Recording(title=""))
    assert (view.sources, view.graphs, view.main_source) == ((), (), 0)


def test_a_recording_in_the_making_has_a_view(make: Make) -> None:
    recording = make("branch_and_print")
    early = replace(recording, state="recording", kernels=(), wrappers=(), links=())
    assert build(early).summary.sentence == "Compiling: 3 graphs and 2 breaks so far."


def test_text_is_not_touched(make: Make) -> None:
    """Escaping is the renderers' business: each has to know its own medium."""
    recording = make("hostile")
    view = build(recording)
    assert view.summary.title == recording.title
    assert view.sources[0].lines[0].text == recording.sources[0].line(1)
    assert view.kernels.kernels[0].code == recording.kernels[0].code

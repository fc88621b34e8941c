"""Steps: what is known after each one, where a reader can go, and how it is shown."""

import io
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from dynamo_lab.cli.core.stepper import moved, play, playback_of
from dynamo_lab.errors import OptionError
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.terminal.steps import screen
from dynamo_lab.view import View, build
from dynamo_lab.view.steps.playback import Playback

Make = Callable[[str], Recording]


@pytest.fixture
def view(make: Make) -> View:
    return build(make("film"))


@pytest.fixture
def playback(view: View) -> Playback:
    return playback_of(view)


def test_takes_are_told_as_sentences(view: View) -> None:
    assert view.steps is not None
    assert [take.title for take in view.steps.takes] == ["outer", "outer, analysis 2"]
    first, second = view.steps.takes
    assert first.ending == (
        "Dynamo cannot continue past this (print call). It drops this attempt and analyses the "
        "frame again up to this point, to break there."
    )
    assert second.ending == (
        "It broke (print call): graph 1 ends here. `outer after line 5` resumes from there."
    )
    assert (first.broke, second.broke, second.graph) == (None, 0, 0)
    assert view.steps.cut.startswith("Cut off here: 1 more step followed the first 12.")


def test_a_moment_inside_an_inlined_call(playback: Playback) -> None:
    moment = playback.moment(9)
    assert moment.calls == ("outer", "inner")
    assert moment.instruction.opname == "LOAD_FAST"
    assert [local.name for local in moment.variables] == ["a"], "those of the call itself"
    assert [row.added.name for row in moment.nodes] == ["mul", "x"], "of this analysis alone"
    assert [guard.kind for guard in moment.guards] == ["GRAD_MODE", "TENSOR_MATCH"]


def test_a_call_has_its_result_on_the_stack(playback: Playback) -> None:
    assert [value.text for value in playback.moment(2).stack] == ["f32[8]"]
    assert [value.kind for value in playback.moment(1).stack] == ["NullVariable", "TensorVariable"]


def test_nodes_are_tied_to_the_graph_that_was_compiled(view: View) -> None:
    assert view.steps is not None
    assert [(row.graph, row.node) for row in view.steps.nodes] == [
        (-1, -1),
        (-1, -1),
        (0, 1),
        (0, 0),
    ]


@pytest.mark.parametrize(
    ("start", "key", "end"),
    [
        (0, "right", 1), (0, "left", 0), (11, "right", 11), (5, "home", 0), (5, "end", 11),
        (2, "o", 5), (2, "right", 3), (3, "u", 5), (4, "o", 5),
        (0, "b", 5), (5, "b", 11), (11, "b", 11), (11, "B", 5),
        (0, "n", 3), (3, "n", 9), (9, "N", 3), (0, "g", 3), (11, "g", 11), (3, "g", 6),
        (0, "a", 6), (7, "A", 6), (6, "A", 0), (5, "x", 5),
    ],
)  # fmt: skip
def test_keys_lead_where_they_say(playback: Playback, start: int, key: str, end: int) -> None:
    assert moved(playback, start, key) == end


def test_playing_reads_keys_until_it_is_left(view: View) -> None:
    keys = iter(["right", "b", "q"])
    terminal = Console(file=io.StringIO(), force_terminal=True, width=100, height=30)
    play(view, 1, read_key=lambda: next(keys), console=terminal)
    assert next(keys, None) is None
    shown = terminal.file.getvalue()  # type: ignore[attr-defined]
    assert [f"step {n} of 12" in shown for n in (1, 2, 6, 12)] == [True, True, True, False]


@pytest.mark.parametrize("width", [60, 100, 180])
def test_a_screen_fits_its_terminal(make: Make, width: int) -> None:
    for name in ("film", "hostile_film"):
        view = build(make(name))
        playback = playback_of(view)
        for step in range(len(playback)):
            console = Console(file=io.StringIO(), force_terminal=True, width=width, height=24)
            console.print(screen(view, playback.moment(step), len(playback), width, 24))
            lines = Text.from_ansi(console.file.getvalue()).plain.split("\n")  # type: ignore[attr-defined]
            assert max(map(cell_len, lines)) <= width
            assert len(lines) <= 25


def test_what_cannot_be_played(view: View, make: Make) -> None:
    with pytest.raises(OptionError, match="There is no step 13: pass 1 to 12"):
        play(view, 13, read_key=lambda: "q")
    with pytest.raises(OptionError, match="pass --list"):
        play(view, 1)
    with pytest.raises(OptionError, match="--steps"):
        play(build(make("skipped")), 1)

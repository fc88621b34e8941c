"""The widget's answers, with a stand-in for the way to the browser and for the compiler."""

import gzip
from collections.abc import Callable
from threading import Event, Thread
from threading import enumerate as enumerate_threads
from typing import Any

import msgspec
import pytest
from IPython.core.interactiveshell import InteractiveShell
from msgspec.structs import replace

from dynamo_lab.errors import FixError
from dynamo_lab.model.core import codec
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.turns import turns
from dynamo_lab.render.widget import OWN, Explorer, Runs, Waiting
from dynamo_lab.view import build
from dynamo_lab.view.compare.side_by_side import together

Make = Callable[[str], Recording]


class Fake(Explorer):
    """Keeps what it would send."""

    def send(self, content: Any, buffers: Any = None) -> None:
        vars(self).setdefault("sent", []).append((content, buffers or []))


def test_what_anywidget_imports_is_there_at_once() -> None:
    """A module that takes over two seconds never gets a message, so the view comes after it."""
    widget: Any = Fake("uid")
    assert len(widget._esm) < 1_000
    assert len(widget.code) > 100 * len(widget._esm)


def asked(
    make: Make, runs: Runs | None, **message: Any
) -> list[tuple[dict[str, Any], list[bytes]]]:
    widget = Fake("uid")
    recording = make("branch_and_print")
    widget.show(recording, build(recording), runs)
    assert widget.can_run is (runs is not None)
    untyped: Any = widget
    untyped._handle_custom_msg({"type": "run", "of": OWN, "request": 5, **message}, [])
    return vars(widget).get("sent", [])


def made(make: Make, label: str = "with torch.where") -> Runs:
    def runs(
        recording: Recording, what: str, asked: dict[str, Any], _: Waiting
    ) -> tuple[str, dict[str, Any], Recording]:
        return label, {"what": what, "fix": asked["fix"], "of": recording.title}, make("skipped")

    return runs


def test_a_run_is_answered_with_its_outcome_its_view_and_how_it_compares(make: Make) -> None:
    [(content, buffers)] = asked(make, made(make), what="try_fix", fix="torch.where")
    own = make("branch_and_print").title
    [pair] = content.pop("pairs")
    assert content == {
        "type": "ran",
        "request": 5,
        "label": "with torch.where",
        "outcome": {"what": "try_fix", "fix": "torch.where", "of": own},
    }
    assert (pair["a"], pair["b"]) == (OWN, "with torch.where")
    view = msgspec.json.decode(gzip.decompress(buffers[0]))
    assert view["summary"]["title"] == make("skipped").title


def test_what_was_made_can_be_run_asked_and_saved_in_its_turn(make: Make) -> None:
    def answered(recording: Recording, question: str, *_: Any) -> dict[str, Any]:
        return {"answer": [recording.title, question]}

    widget = Fake("uid", answered)
    recording = make("branch_and_print")
    widget.show(recording, build(recording), made(make))
    untyped: Any = widget
    for message in (
        {"type": "run", "of": OWN, "request": 1, "what": "try_fix", "fix": "x"},
        {"type": "ask", "of": "with torch.where", "request": 2, "question": "q"},
        {"type": "save", "of": "with torch.where", "what": "json"},
        {"type": "save", "of": OWN, "what": "html"},
        {"type": "ask", "of": "nobody", "request": 3, "question": "q"},
    ):
        untyped._handle_custom_msg(message, [])
    _, (answer, _), (_, [json]), (_, [page]) = vars(widget)["sent"]
    assert answer == {"type": "answer", "request": 2, "answer": [make("skipped").title, "q"]}
    assert codec.decode(json) == make("skipped")
    assert b"with torch.where" in page  # it holds both


def test_what_was_made_never_takes_the_place_of_the_readers_own(make: Make) -> None:
    [(content, _)] = asked(make, made(make, OWN), what="try_fix", fix="x")
    assert content["label"] == f"{OWN} again"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (FixError("Nothing to try."), "Nothing to try."),
        (ValueError("<b>"), "The run ended with ValueError: <b>"),
    ],
)
def test_an_error_is_a_sentence(make: Make, error: Exception, sentence: str) -> None:
    def runs(*_: Any) -> tuple[str, dict[str, Any], Recording]:
        raise error

    [(content, buffers)] = asked(make, runs, what="try_fix", fix="x")
    assert content == {"type": "ran", "request": 5, "error": sentence}
    assert buffers == []


def test_without_a_program_the_widget_says_so(make: Make) -> None:
    [(content, _)] = asked(make, None, what="try_fix", fix="x")
    assert "run the cell again" in content["error"]


@pytest.mark.parametrize("message", [{}, {"what": 3}, {"what": "x", "of": "nobody"}])
def test_a_message_that_makes_no_sense_is_left_alone(make: Make, message: dict[str, Any]) -> None:
    assert asked(make, None, **message) == []


def test_several_recordings_are_shown_under_their_labels(make: Make) -> None:
    widget = Fake("uid")
    several = {"a": make("branch_and_print"), "b": make("skipped")}
    widget.show_several(several, together(several))
    shown = msgspec.json.decode(gzip.decompress(widget.payload))
    assert shown["labels"] == ["a", "b"]
    assert [view["summary"]["title"] for view in shown["views"]] == [
        make("branch_and_print").title,
        make("skipped").title,
    ]


@pytest.mark.parametrize("what", ["bench", "time_kernels"])
def test_a_measurement_tells_how_far_it_is_and_hears_stop(make: Make, what: str) -> None:
    stopped = Event()

    def runs(
        recording: Recording, what: str, asked: dict[str, Any], waiting: Waiting
    ) -> tuple[str, dict[str, Any], Recording]:
        waiting.on_stop = stopped.set
        waiting.tell("warm caches", 0.25, 12.3)
        told.append(dict(widget.progress))
        assert stopped.wait(60)
        return "measured", {}, make("skipped")

    told: list[dict[str, Any]] = []
    widget = Fake("uid")
    recording = make("branch_and_print")
    widget.show(recording, build(recording), runs)
    untyped: Any = widget
    run = {"type": "run", "of": OWN, "what": what}
    untyped._handle_custom_msg({**run, "request": 1}, [])
    while not told:
        pass
    untyped._handle_custom_msg({**run, "request": 2}, [])
    untyped._handle_custom_msg({"type": "stop"}, [])
    joined(what)
    (second, _), (first, _) = vars(widget)["sent"]
    assert "already running" in second["error"]
    assert (first["request"], first["label"]) == (1, "measured")
    assert [told[0][key] for key in ("stage", "detail", "fraction")] == [
        "warm caches", "12 s left", 0.25,
    ]  # fmt: skip
    untyped._handle_custom_msg({"type": "stop"}, [])  # nothing runs: nothing happens


class _Running:
    """A run that lasts until it is told to end."""

    def __init__(self, make: Make) -> None:
        self.begun, self.ends = Event(), Event()
        self._made = make("skipped")

    def __call__(
        self, recording: Recording, what: str, asked: dict[str, Any], waiting: Waiting
    ) -> tuple[str, dict[str, Any], Recording]:
        waiting.on_stop = self.ends.set
        self.begun.set()
        assert self.ends.wait(60)
        return "done", {}, self._made


def followed() -> Any:
    """A shell whose cells wait for the views' programs."""
    shell: Any = InteractiveShell()
    turns.follow(shell)
    return shell


def sends(make: Make, runs: Runs, what: str) -> Any:
    """A view of its own that asks for this run; what it was sent is in `sent`."""
    widget: Any = Fake("uid")
    recording = make("branch_and_print")
    widget.show(recording, build(recording), runs)
    widget._handle_custom_msg({"type": "run", "of": OWN, "what": what, "request": 1}, [])
    return widget


def joined(what: str) -> None:
    for thread in enumerate_threads():
        if thread.name == f"dynamo_lab {what}":
            thread.join(60)


@pytest.mark.parametrize("what", ["apply", "bench", "relower", "try_fix"])
def test_while_one_views_program_runs_no_other_views_does(make: Make, what: str) -> None:
    """Both would compile in one process: each found the other's breaks among its own."""
    running = _Running(make)
    first = sends(make, running, "apply")
    assert running.begun.wait(60)
    other = sends(make, made(make), what)
    [(refused, _)] = other.sent
    assert "already running, for this view or another" in refused["error"]
    running.ends.set()
    joined("apply")
    assert vars(first)["sent"][0][0]["label"] == "done"
    [(answered, _)] = asked(make, made(make), what="try_fix", fix="x")
    assert answered["label"] == "with torch.where", "the next one has its turn"


def test_a_cell_waits_for_the_program_that_runs_for_a_view(make: Make) -> None:
    """It would lose what it prints: a trial keeps what the process writes meanwhile.

    A kernel tells the stream whose output it is when a cell begins, which is the trial's then.
    """
    shell, running, order = followed(), _Running(make), list[str]()
    shell.get_parent, shell.set_parent = (lambda: "this cell"), order.append
    shell.user_ns["order"] = order
    sends(make, running, "apply")
    assert running.begun.wait(60)
    cell = Thread(target=shell.run_cell, args=("order.append('cell')", True))
    cell.start()
    cell.join(0.2)  # it would have ended long ago
    assert cell.is_alive()
    order.append("run")
    running.ends.set()
    cell.join(60)
    assert order == ["run", "this cell", "cell"]


class _Interrupted:
    """A lock; who waits for it is interrupted once, as by Ctrl+C."""

    def __init__(self, lock: Any) -> None:
        self._lock, self._is_told = lock, False
        self.release = lock.release

    def __enter__(self) -> None:
        if not self._is_told:
            self._is_told = True
            raise KeyboardInterrupt
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_an_interrupted_cell_ends_the_run_that_it_waits_for(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell, running = followed(), _Running(make)
    sends(make, running, "apply")
    assert running.begun.wait(60)
    monkeypatch.setattr(turns, "_free", _Interrupted(vars(turns)["_free"]))
    shell.run_cell("answer = 42", store_history=True)
    assert running.ends.is_set()
    assert shell.user_ns["answer"] == 42
    joined("apply")


def test_while_a_cell_runs_no_program_does_for_a_view(make: Make) -> None:
    """Also where the cell ran another inside of itself, as one under `%%record` does."""
    shell = followed()
    shell.user_ns |= {"nested": shell.run_cell, "ask": lambda: sends(make, made(make), "try_fix")}
    shell.run_cell("nested('1')\nasked = ask()", store_history=True)
    [(refused, _)] = shell.user_ns["asked"].sent
    assert refused["error"] == "A cell is running: ask again once it has ended."


def test_after_what_cannot_be_shown_the_next_measurement_runs(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def runs(*_: Any) -> tuple[str, dict[str, Any], Recording]:
        return "measured", {}, make("skipped")

    def failing(_: Recording) -> Any:
        raise KeyError("a view")

    widget = Fake("uid")
    recording = make("branch_and_print")
    widget.show(recording, build(recording), runs)
    for built in (failing, build):
        monkeypatch.setattr("dynamo_lab.render.widget.build", built)
        untyped: Any = widget
        untyped._handle_custom_msg({"type": "run", "of": OWN, "what": "bench", "request": 1}, [])
        joined("bench")
        assert widget.progress == {"active": False}
    (first, _), (second, _) = vars(widget)["sent"]
    assert first["error"] == "It ran, but the result cannot be shown: KeyError: 'a view'"
    assert second["label"] == "measured"


def test_half_a_surrogate_pair_is_a_question_mark(make: Make) -> None:
    recording = replace(make("branch_and_print"), title="a\ud800b")
    widget = Fake("uid")
    widget.show(recording, build(recording))
    assert b'"title":"a?b"' in gzip.decompress(widget.payload)

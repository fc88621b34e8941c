"""What a view sends is evaluated only where the program lives and nobody has turned that off."""

from __future__ import annotations

from threading import Event
from threading import enumerate as enumerate_threads
from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.api.handle import answer
from dynamo_lab.api.recording import Recording
from dynamo_lab.api.settings import EVALUATES_NOTHING, VARIABLE, Settings
from dynamo_lab.errors import OptionError
from dynamo_lab.model.core import codec
from dynamo_lab.render.widget import OWN, Explorer
from dynamo_lab.view import build

if TYPE_CHECKING:
    from pathlib import Path

LEFT = "open({path!r}, 'w').write('was here')"

MESSAGES: dict[str, dict[str, Any]] = {
    "would_pass": {"type": "ask", "question": "would_pass", "text": LEFT},
    "edit_kernel": {"type": "ask", "question": "edit_kernel", "kernel": 0, "code": LEFT},
    "edit as Python": {
        "type": "ask",
        "question": "edit_kernel",
        "kernel": 0,
        "code": f'{LEFT}\nextern "C" void kernel()',
    },
    "switches": {"type": "ask", "question": "switches", "target": LEFT, "switches": {"mode": LEFT}},
    "assembly": {"type": "ask", "question": "assembly", "kernel": 0, "target": LEFT},
    "repartition": {"type": "ask", "question": "repartition", "partition": -1},
    "cell": {"type": "ask", "question": "cell", "source": 0},
    "unknown question": {"type": "ask", "question": LEFT},
    "try_fix": {"type": "run", "what": "try_fix", "break": 0, "fix": LEFT},
    "relower": {"type": "run", "what": "relower", "target": LEFT, "switches": {LEFT: LEFT}},
    "bench": {"type": "run", "what": "bench", "ways": [LEFT], "training": False, "seconds": 1},
    "unknown run": {"type": "run", "what": LEFT},
    "asset": {"type": "asset", "name": "../../errors.py"},
    "save": {"type": "save", "what": LEFT, "of": OWN},
    "no kind": {"type": LEFT},
}
ALWAYS_ANSWERED = {"switches", "assembly", "repartition"}
"""They compute from what was recorded, of numbers and known names alone."""


class Fake(Explorer):
    """Keeps what it would send."""

    def send(self, content: Any, buffers: Any = None) -> None:
        vars(self).setdefault("sent", []).append(content)


def program(x: torch.Tensor) -> torch.Tensor:
    y = x.sin() * 2
    print("halfway")
    return y + 1


@pytest.fixture(scope="module")
def living() -> Recording:
    return lab.explore(program, torch.ones(4))


def sent(recording: Recording, message: dict[str, Any], path: Path) -> list[dict[str, Any]]:
    """What the view of this recording answers to a message that would leave a file."""
    widget: Any = Fake("uid", answer)
    widget.show(recording, build(recording), recording.runs())
    widget._handle_custom_msg(_filled({"of": OWN, "request": 1, **message}, str(path)), [])
    for thread in enumerate_threads():
        if thread.name.startswith("dynamo_lab "):
            thread.join(60)
    return vars(widget).get("sent", [])


def _filled(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        return {_filled(k, path): _filled(v, path) for k, v in value.items()}
    if isinstance(value, list):
        return [_filled(item, path) for item in value]
    return value.replace("{path!r}", repr(path)) if isinstance(value, str) else value


@pytest.mark.parametrize("name", MESSAGES)
def test_a_loaded_recording_evaluates_nothing(living: Recording, name: str, tmp_path: Path) -> None:
    loaded = codec.decode(codec.encode(living), Recording)
    for said in sent(loaded, MESSAGES[name], tmp_path / "left"):
        assert "answer" not in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", MESSAGES)
def test_a_live_recording_evaluates_nothing_where_that_is_off(
    living: Recording, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "off")
    said = sent(living, MESSAGES[name], tmp_path / "left")
    if (
        MESSAGES[name].get("question") in ("would_pass", "edit_kernel", "cell")
        or "what" in MESSAGES[name]
    ):
        assert [one.get("error") for one in said] in ([EVALUATES_NOTHING], [None])
    assert not list(tmp_path.iterdir())


def test_where_it_is_on_a_live_recording_evaluates_what_its_reader_wrote(
    living: Recording, tmp_path: Path
) -> None:
    sent(living, MESSAGES["would_pass"], tmp_path / "left")
    assert [path.name for path in tmp_path.iterdir()] == ["left"]


def test_only_the_notebook_can_turn_it_on_again(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings()
    settings.choose(evaluate="off")
    settings.hear({"evaluate": "on", "theme": "dark"})
    assert not settings.evaluates
    assert str(settings) == "theme dark, detail normal, display below, evaluate off"
    settings.choose(evaluate="on")
    assert settings.evaluates
    monkeypatch.setenv(VARIABLE, "off")
    assert not settings.evaluates
    with pytest.raises(OptionError, match="on, off"):
        settings.choose(evaluate="perhaps")


def test_an_edit_can_be_stopped_and_leaves_nothing(living: Recording) -> None:
    """One that never ends is asked for as the tab does, then stopped."""
    widget: Any = Fake("uid", answer)
    widget.show(living, build(living), living.runs())
    endless = living.kernels[0].code.replace(")\n{\n", ")\n{\nvolatile int on = 1; while (on) {}\n")
    ask = {"type": "ask", "question": "edit_kernel", "kernel": 0, "code": endless, "of": OWN}
    widget._handle_custom_msg({**ask, "request": 1}, [])
    widget._handle_custom_msg({**ask, "request": 2}, [])
    widget._handle_custom_msg({"type": "stop"}, [])
    thread = next(one for one in enumerate_threads() if one.name == "dynamo_lab edit_kernel")
    while thread.is_alive():
        widget._handle_custom_msg({"type": "stop"}, [])
        Event().wait(0.01)
    second, first = vars(widget)["sent"]
    assert "already running" in second["error"]
    assert "was stopped" in first["error"]

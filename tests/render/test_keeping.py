"""What an output keeps of its recordings, and what it says of that."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import dynamo_lab as lab
from dynamo_lab.__main__ import main
from dynamo_lab.model.core import codec, kept
from dynamo_lab.notebook import revive
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.render.keeping import keep
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dynamo_lab.model.recording import Recording

    Make = Callable[[str], Recording]

SHELL = SimpleNamespace(user_ns={})


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The notebook that Jupyter's server says the kernel is for."""
    path = tmp_path / "n.ipynb"
    path.write_text("{}")
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    return path


def test_a_small_one_is_in_the_output(make: Make) -> None:
    recording = make("branch_and_print")
    found = keep({"own": recording}, SHELL, "cell")
    assert kept.unpacked(found.data[kept.MIME]) == {"own": recording}
    assert "The notebook keeps the recording (4 kB)" in found.says
    html = fallback(build(recording), says=found.says)
    told = "<code>lab.load</code>, given the path of the notebook, opens it again."
    assert html.endswith(f"{told}</small></p></div>")


def test_a_large_one_is_beside_the_notebook_and_a_later_run_takes_its_place(
    make: Make, notebook: Path
) -> None:
    keep({"own": make("big")}, SHELL, "a1-b2/../c")
    found = keep({"own": make("big")}, SHELL, "a1-b2/../c")
    assert found.data[kept.MIME] == {"file": "n_recordings/a1-b2c.json.gz", "label": "own"}
    assert "it is in `n_recordings/a1-b2c.json.gz` beside it." in found.says
    assert [path.name for path in (notebook.parent / "n_recordings").iterdir()] == [
        "a1-b2c.json.gz"
    ]
    loaded = lab.load(notebook.parent / "n_recordings/a1-b2c.json.gz")
    assert codec.encode(loaded) == codec.encode(make("big"))


def test_where_no_notebook_is_known_a_large_one_is_not_kept_and_that_is_said(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    found = keep({"own": make("big")}, SHELL, "cell")
    assert found.data == {}
    assert "is gone with the kernel: `rec.save(path)` keeps it." in found.says


def test_vs_code_says_its_notebook_in_another_way(make: Make, notebook: Path) -> None:
    other = notebook.with_name("code.ipynb")
    other.write_text("{}")
    shell = SimpleNamespace(user_ns={"__vsc_ipynb_file__": str(other)})
    assert keep({"own": make("big")}, shell, "c").data[kept.MIME]["file"].startswith("code_rec")


class Comms:
    """A kernel's comms, and what it would send."""

    def __init__(self) -> None:
        self.targets: dict[str, Any] = {}
        self.sent: list[Any] = []
        self.register_target = self.targets.__setitem__
        self.send = self.sent.append


@pytest.fixture
def asked() -> Callable[..., Any]:
    """The kernel's answer to a question for a view."""

    def ask(**told: Any) -> Any:
        comms = Comms()
        shell = SimpleNamespace(kernel=SimpleNamespace(comm_manager=comms), user_ns={}, meta={})
        revive.offer(shell)
        comms.targets[revive.TARGET](comms, {"content": {"data": told}})
        return comms.sent[-1]

    return ask


def test_a_view_is_live_again_under_its_name(make: Make, asked: Callable[..., Any]) -> None:
    for names in (["branch_and_print"], ["branch_and_print", "lowered"]):
        bundle = kept.packed({name: make(name) for name in names})
        output = asked(uid="u1", cell="c", bundle=bundle)["output"]
        assert "application/vnd.jupyter.widget-view+json" in output["data"]
        assert output["metadata"] == {"dynamo_lab": {"place": "below", "uid": "u1"}}


def test_what_is_damaged_is_a_sentence(asked: Callable[..., Any]) -> None:
    assert asked(uid="u", bundle={"recordings": {"": "no"}})["error"]
    assert "holds no recording" in asked()["error"]


def test_recordings_that_no_cell_refers_to_are_listed_and_deleted_on_request(
    make: Make, notebook: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    used = keep({"own": make("big")}, SHELL, "used")
    keep({"own": make("big")}, SHELL, "cleared")
    data = {"output_type": "display_data", "data": used.data, "metadata": {}}
    notebook.write_text(json.dumps({"cells": [{"outputs": [data]}]}))
    folder = kept.folder_of(notebook)
    (folder / "notes.txt").write_text("mine")
    assert kept.unused(notebook) == [folder / "cleared.json.gz"]
    assert main(["clean", str(notebook)]) == 0
    assert "1 recording (" in (said := capsys.readouterr().out)
    assert "`--delete` deletes them" in said
    assert main(["clean", str(notebook), "--delete"]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["notes.txt", "used.json.gz"]
    assert main(["clean", str(notebook), "--delete"]) == 0
    assert "0 recordings (0 B) that no cell refers to." in capsys.readouterr().out

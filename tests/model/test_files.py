"""Whatever is written is written whole, or what was there stays."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.api.recording import Recording
from dynamo_lab.course.notebooks import write as write_notebook
from dynamo_lab.errors import OutputError
from dynamo_lab.live.session import Session
from dynamo_lab.model.core import files

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.recording import Recording as Facts

WRITERS: dict[str, Callable[[Recording, Path], object]] = {
    "save": lambda made, path: made.save(path),
    "to_html": lambda made, path: made.to_html(path),
    "perfetto": lambda made, path: made.export(path, "perfetto"),
    "model-explorer": lambda made, path: made.export(path, "model-explorer"),
    "notebook": lambda made, path: write_notebook({"cells": []}, path),
    "text": lambda made, path: files.write_output(path, "a half \ud800 pair"),
}


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk on which the first bytes of a file are the last."""

    def write(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write)


@pytest.fixture
def made(sample: Facts) -> Recording:
    return Recording.of(sample, Session())


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_leaves_what_was_there(made: Recording, tmp_path: Path, writer: str) -> None:
    path = tmp_path / "run.json"
    path.write_text("precious")
    with pytest.raises(Exception, match="No space left"):
        WRITERS[writer](made, path)
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["run.json"]


@pytest.mark.usefixtures("full")
def test_on_a_full_disk_room_is_asked_for_and_no_other_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"No space left on device\): make room there"):
        files.write_output(tmp_path / "run.json", "text")


@pytest.mark.parametrize("writer", WRITERS)
def test_permissions_stay(made: Recording, tmp_path: Path, writer: str) -> None:
    path = tmp_path / "run.json"
    path.touch()
    path.chmod(0o640)
    WRITERS[writer](made, path)
    assert path.stat().st_size
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("writer", WRITERS)
def test_a_new_file_has_the_permissions_of_any(
    made: Recording, tmp_path: Path, writer: str
) -> None:
    (tmp_path / "any").touch()
    WRITERS[writer](made, tmp_path / "run.json")
    assert (tmp_path / "run.json").stat().st_mode == (tmp_path / "any").stat().st_mode


@pytest.mark.parametrize("writer", WRITERS)
def test_the_longest_name(made: Recording, tmp_path: Path, writer: str) -> None:
    path = tmp_path / ("n" * 240 + ".json")
    WRITERS[writer](made, path)
    assert path.exists()
    assert not list(tmp_path.glob("*.draft"))


@pytest.mark.parametrize("name", ["a\0b", "n" * 300, "no/run", "file/run", ".", "a\nb\0"])
def test_an_impossible_name_is_one_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"cannot be written \(.+\): name a file") as told:
        files.write_output(f"{tmp_path}/{name}", "text")
    assert "\n" not in str(told.value)
    assert os.listdir(tmp_path) == ["file"]


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    files.write_output(tmp_path / "link", "text")
    files.write_output(os.devnull, "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "text"
    assert not Path(os.devnull).is_file()

"""The `dynamo-lab` command: what it prints, where, and what it exits with."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from dynamo_lab.__main__ import main
from dynamo_lab.model.core.codec import save
from tests.cli.process import dynamo_lab

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.model.recording import Recording


class TestDot:
    def test_a_graph_for_graphviz(self, drawn: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["dot", drawn]) == 0
        text = capsys.readouterr().out
        assert text.startswith('digraph "graph 1" {')
        assert "cluster_m0_1" in text

    def test_a_stage_opened_and_around_a_node(
        self, drawn: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["dot", drawn, "--stage", "post_grad_backward", "--open"]) == 0
        assert "cluster_m3_3" in capsys.readouterr().out
        assert main(["dot", drawn, "--around", "cond", "--up", "1", "--down", "0"]) == 0
        assert capsys.readouterr().out.count(" -> ") == 3

    def test_a_picture_needs_a_place_and_graphviz(
        self, drawn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["dot", drawn, "--svg", str(tmp_path / "no" / "x.svg")]) == 2
        assert "no such folder" in capsys.readouterr().err
        assert main(["dot", drawn, "--around", "nowhere"]) == 2
        assert "graph 1 has no node 'nowhere'" in capsys.readouterr().err


class TestCheck:
    def test_as_expected(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", saved, "--breaks", "1", "--max-kernels", "3"]) == 0
        asked = "breaks 1, max_kernels 3, failures 0"
        assert capsys.readouterr().out == f"{saved}: as expected ({asked})\n"

    def test_little_is_asked_without_an_option(
        self, saved: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["check", saved]) == 0
        assert "nothing else was asked for" in capsys.readouterr().out

    def test_not_as_expected(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", saved, "--breaks", "0"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "expected 0 breaks, found 1:\n    cell 3, line 3: Data-dependent" in err

    def test_a_value_that_is_no_count(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", saved, "--breaks", "-1"]) == 2
        assert "pass an integer" in capsys.readouterr().err


def test_diff(
    saved: str, sample: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(msgspec.structs.replace(sample, breaks=()), tmp_path / "b.json")
    assert main(["diff", saved, str(tmp_path / "b.json")]) == 0
    assert "breaks only in a:" in capsys.readouterr().out


class TestStep:
    def test_the_listing(self, filmed: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["step", filmed, "--list"]) == 0
        text = capsys.readouterr().out
        assert "outer, analysis 2" in text
        assert "+ node  mul: f32[8] = x * 2" in text
        assert "Break: print call." in text
        assert "Cut off here: 1 more step" in text

    def test_what_cannot_be_played(
        self, saved: str, filmed: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["step", saved]) == 2
        assert "has no steps: record it with" in capsys.readouterr().err
        assert main(["step", filmed]) == 2
        assert "needs a terminal with a keyboard: pass --list" in capsys.readouterr().err


def test_html(saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["html", saved, str(tmp_path / "out.html")]) == 0
    assert "<html" in (tmp_path / "out.html").read_text(encoding="utf-8")
    assert main(["html", saved, str(tmp_path / "no" / "out.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["show", "check", "html"])
def test_a_file_that_is_no_recording(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text("{}")
    (tmp_path / "x.html").write_text("<!doctype html>\n<html>")
    page = [str(tmp_path / "out.html")] if command == "html" else []
    assert main([command, str(tmp_path / "x.json"), *page]) == 2
    err = capsys.readouterr().err
    assert err.startswith("dynamo-lab: ")
    assert err.count("\n") == 1
    assert main([command, str(tmp_path / "x.html"), *page]) == 2
    assert "is a page to open in a browser, not a recording; pass" in capsys.readouterr().err


def test_the_help_is_a_manual(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    text = capsys.readouterr().out
    for command in ("explore", "show", "html", "check", "diff"):
        assert f"dynamo-lab {command} " in text
    assert max(map(len, text.splitlines())) <= 100


def test_arguments_of_the_script_go_after_two_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["explore", "script.py", "--epochs", "1"])
    assert "--epochs 1; the script's arguments go after --" in capsys.readouterr().err


def test_a_terminal_without_utf8_shows_escapes(saved: str, tmp_path: Path) -> None:
    done = dynamo_lab("show", saved, folder=tmp_path, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_leaves_is_no_error(saved: str, tmp_path: Path) -> None:
    quoted = f"'{sys.executable}' -m dynamo_lab show '{saved}' --json | head -c 1"
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        ["bash", "-c", quoted], env={**os.environ, "PYTHONPATH": path}, capture_output=True
    )
    assert done.stderr == b""

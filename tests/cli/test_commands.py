"""Each command is a file that says what it does, and whose help costs no torch."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.__main__ import main
from dynamo_lab.cli import parser

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2] / "dynamo_lab"
SHARED = {"__init__", "parser", "stepper"}
"""The files of the room that are no commands."""


class Commands:
    """Takes down what commands say of themselves, where argparse would."""

    def __init__(self) -> None:
        self.told: dict[str, tuple[str, str, argparse.ArgumentParser]] = {}

    def add_parser(self, name: str, *, help: str, description: str) -> argparse.ArgumentParser:
        made = argparse.ArgumentParser(prog=name)
        self.told[name] = (help, description, made)
        return made


def told_by(module: ModuleType) -> dict[str, tuple[str, str, argparse.ArgumentParser]]:
    commands = Commands()
    module.add(commands)
    return commands.told


def stem(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def test_each_file_is_a_command_that_is_listed() -> None:
    room = ROOT / "cli"
    found = [path for path in room.rglob("*.py") if path.parent.name != "core"]
    files = {path.stem for path in found} - SHARED
    assert sorted(stem(module) for module in parser.COMMANDS) == sorted(files)


@pytest.mark.parametrize("module", parser.COMMANDS, ids=stem)
def test_a_file_adds_the_command_of_its_name(module: ModuleType) -> None:
    [(name, (sentence, description, made))] = told_by(module).items()
    assert name == stem(module).rstrip("_")  # `import` is a word of Python's
    assert made.get_default("run") is module.run
    assert (module.__doc__ or "").startswith(f"`dynamo-lab {name}`: ")
    assert "\n" not in sentence
    assert sentence[0].islower()
    assert sentence[-1].isalnum() or sentence[-1] == ")"
    assert description == f"{sentence[0].upper()}{sentence[1:]}."


def test_they_stand_in_one_order_in_the_help_and_all_in_the_manual(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    manual, _, listed = capsys.readouterr().out.partition("\ncommands:\n")
    names = [stem(module).rstrip("_") for module in parser.COMMANDS]
    places = [listed.index(f"\n    {name} ") for name in names]
    assert places == sorted(places)
    assert [name for name in names if f"dynamo-lab {name} " not in manual] == []


def test_the_help_of_each_imports_no_torch() -> None:
    names = [stem(module).rstrip("_") for module in parser.COMMANDS]
    code = f"""
import sys
from dynamo_lab.__main__ import main
for name in {names!r}:
    try:
        main([name, "--help"])
    except SystemExit as left:
        assert left.code == 0, name
    assert "torch" not in sys.modules, name
    assert "IPython.terminal" not in sys.modules, name
"""
    path = os.pathsep.join([str(ROOT.parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert all(f"usage: dynamo-lab {name} " in done.stdout for name in names)


def test_nothing_but_the_entry_point_leans_on_the_terminal() -> None:
    """What the notebook reads, too, stands where both may import it."""
    rooms = [room for room in ROOT.iterdir() if room.name not in ("cli", "frontend")]
    others = [path for room in rooms for path in room.rglob("*.py")]
    assert others
    assert [str(path) for path in others if "dynamo_lab.cli" in path.read_text("utf-8")] == []

"""A script recorded under other installations of PyTorch, each in a process of its own.

`python -m dynamo_lab.record.environments SCRIPT FILE [ARGUMENTS]` is that process: it runs the
script, saves the recording, and prints nothing of its own.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dynamo_lab.errors import EnvironmentsError
from dynamo_lab.model.core.codec import load, save

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dynamo_lab.model.recording import Recording

HERE = "here"
"""The name of the environment that this runs in."""
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*\s*(?:===?|~=|[<>!]=?|@)")
_READY = "ready.txt"
_OWN = ("torch", "triton")
"""What an environment is made to choose, so that our own bounds do not."""


class Ran(NamedTuple):
    """What came of a script: its recording, what it printed, and its exit code."""

    recording: Recording
    printed: str
    code: int


def cache() -> Path:
    """Where environments that were made are kept."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "dynamo_lab" / "environments"


def python_of(asked: str, folder: Path) -> Path:
    """The Python of an environment: "here", the path of one, or one made of requirements.

    Raises:
        EnvironmentsError: there is none, or it could not be made.
    """
    if asked == HERE:
        return Path(sys.executable)
    path = Path(asked).expanduser()
    if path.is_dir():
        return _python_in(path, asked)
    if path.is_file():
        return path
    if not _REQUIREMENT.match(asked):
        raise EnvironmentsError(
            f"{asked!r} is no environment: pass requirements such as torch==2.11.0, the path of a "
            f"Python or of its environment, or {HERE!r}."
        )
    return _made([part.strip() for part in asked.split(",") if part.strip()], folder)


def _python_in(path: Path, asked: str) -> Path:
    for name in ("bin/python", "Scripts/python.exe"):
        if (path / name).is_file():
            return path / name
    raise EnvironmentsError(f"{asked!r} has no Python: pass an environment's folder.")


def _made(requirements: Sequence[str], folder: Path) -> Path:
    """A fresh environment with these packages and what we need; one that is complete is kept."""
    place = folder / f"{'-'.join(map(_word, requirements))}-py{sys.version_info.minor}"
    if (place / _READY).is_file():
        return _python_in(place, str(place))
    if place.exists():  # it was not finished
        shutil.rmtree(place)
    venv.create(place, with_pip=True)
    python = _python_in(place, str(place))
    wanted = [*requirements, *_needed()]
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", *wanted], capture_output=True, text=True
    )
    if done.returncode:
        shutil.rmtree(place, ignore_errors=True)
        raise EnvironmentsError(
            f"pip could not install {', '.join(requirements)}: {_last(done.stderr)}"
        )
    (place / _READY).write_text("\n".join(wanted) + "\n", encoding="utf-8")
    return python


def _word(requirement: str) -> str:
    return re.sub(r"[^\w.]+", "-", requirement)


def _needed() -> list[str]:
    """What this package depends on, but for what environments differ in."""
    told = importlib.metadata.requires("dynamo_lab") or []
    names = [
        (re.split(r"[^\w.-]", one, maxsplit=1)[0], one) for one in told if "extra ==" not in one
    ]
    return [one for name, one in names if name not in _OWN]


def recorded(python: Path, script: str, arguments: Iterable[str]) -> Ran:
    """Run a script with this Python and empty compile caches, and record it.

    Raises:
        EnvironmentsError: nothing could be recorded there.
    """
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_") as folder:
        file = Path(folder) / "run.json.gz"
        path = os.pathsep.join(filter(None, (_package(folder), os.environ.get("PYTHONPATH"))))
        place = {"PYTHONPATH": path, "TORCHINDUCTOR_CACHE_DIR": str(Path(folder) / "cache")}
        done = subprocess.run(
            [str(python), "-m", "dynamo_lab.record.environments", script, str(file), *arguments],
            env={**os.environ, **place},
            capture_output=True,
            text=True,
            errors="replace",
        )
        if not file.is_file():
            raise EnvironmentsError(f"Nothing was recorded with {python}: {_last(done.stderr)}")
        return Ran(load(file), done.stdout, done.returncode)


def _package(folder: str) -> str:
    """A copy of this package alone, so that every environment runs the same recorder."""
    package = Path(__file__).parents[1]
    ignored = shutil.ignore_patterns("frontend", "labextension", "__pycache__")
    shutil.copytree(package, Path(folder) / "code" / package.name, ignore=ignored)
    return str(Path(folder) / "code")


def _last(text: str) -> str:
    """The line that says what went wrong."""
    rows = [row.strip() for row in text.splitlines() if row.strip()]
    errors = [row for row in rows if re.match(r"(?:ERROR|[\w.]*(?:Error|Exception)):", row)]
    return (errors or rows or ["it said nothing"])[-1][:500]


def main(script: str, file: str, *arguments: str) -> int:
    """Run and record, as that process."""
    from dynamo_lab.record.script import Script

    running = Script(script, arguments)
    save(running.recorded(), file)
    return running.code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

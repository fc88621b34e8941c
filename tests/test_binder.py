"""Ways to open the project elsewhere: Binder's steps, run as Binder does, and the devcontainer."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

ROOT = Path(__file__).parents[1]
BINDER = ROOT / "binder"
TOUR = "notebooks/00_start_here.ipynb"

BINDERS_MEMORY = 2 * 1024**3
"""What mybinder.org gives to a session."""

RUN_THE_TOUR = f"""
import nbclient, nbformat
notebook = nbformat.read({TOUR!r}, as_version=4)
nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute(cwd="notebooks")
views = [o for c in notebook.cells for o in c.get("outputs", ()) if "dynamo-lab" in str(o)]
print("views", len(views), [o.text for c in notebook.cells for o in c.get("outputs", ())
                            if o.get("name") == "stderr"])
"""


def requirements() -> list[str]:
    """What Binder installs, from wherever pip is configured to: the index of the `+cpu` wheels
    is not reachable from everywhere."""
    lines = (BINDER / "requirements.txt").read_text().splitlines()
    return [re.sub(r"\+\w+$", "", line) for line in lines if line and line[0] not in "-#"]


class TestFiles:
    def test_scripts_can_be_run(self) -> None:
        for name in ("postBuild", "start"):
            assert os.access(BINDER / name, os.X_OK)
            assert (BINDER / name).read_text().startswith("#!")

    def test_start_hands_over(self) -> None:
        """repo2docker runs the server through it."""
        done = subprocess.run(
            [
                BINDER / "start",
                sys.executable,
                "-c",
                "import sys; print(sys.argv[1:])",
                "a b",
                "$c",
            ],
            capture_output=True,
            text=True,
        )
        assert done.stdout == "['a b', '$c']\n"

    def test_versions_are_those_of_the_readme(self) -> None:
        readme = (ROOT / "README.md").read_text()
        assert requirements()
        assert [line for line in requirements() if line not in readme] == []

    def test_no_path_of_a_machine_is_in_them(self) -> None:
        for path in BINDER.iterdir():
            assert not re.search(r"/(?:home|root|opt|work|Users)/", path.read_text()), path


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what git has."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a checkout of git")
    folder = tmp_path_factory.mktemp("binder") / "repository"
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def built(checkout: Path) -> dict[str, str]:
    """The environment after Binder's build: requirements installed, postBuild run."""
    packages = (BINDER / "apt.txt").read_text().split()
    if missing := [name for name in packages if shutil.which(name) is None]:
        pytest.skip(f"{', '.join(missing)} is missing, which Binder installs by apt")
    home, venv = checkout.parent / "home", checkout.parent / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    environment = _environment(home, venv)
    install = [venv / "bin" / "python", "-m", "pip", "install", "--quiet", *requirements()]
    _run([*install, "nbclient"], checkout, environment)
    _run([checkout / "binder" / "postBuild"], checkout, environment)
    return environment


def _environment(home: Path, venv: Path) -> dict[str, str]:
    """A login of one's own, with pip configured as it is here."""
    (home / ".config").mkdir(parents=True)
    for name in (".config/pip", ".pip"):
        if (Path.home() / name).exists():
            (home / name).symlink_to(Path.home() / name)
    foreign = ("PYTHON", "JUPYTER", "IPYTHON", "TORCHINDUCTOR", "TRITON", "VIRTUAL_ENV", "OMP_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {
        **kept,
        "HOME": str(home),
        "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "TMPDIR": str(home),  # where Inductor's caches go
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_COMPILE": "1",  # what is imported compiles then; the rest would take half a minute
    }


def _run(command: list[Any], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@contextmanager
def served(checkout: Path, environment: dict[str, str]) -> Generator[tuple[str, int]]:
    """The server as Binder starts it: its address, and the process."""
    command = [checkout / "binder" / "start", "jupyter", "lab", "--no-browser", "--ip=127.0.0.1"]
    options = ["--port=0", "--IdentityProvider.token=", "--allow-root"]
    process = subprocess.Popen(
        [*command, *options],
        cwd=checkout,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr is not None
    address = ""
    for line in process.stderr:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            address = found[0]
            break
    drain = threading.Thread(target=process.stderr.read, daemon=True)
    drain.start()
    try:
        assert address, f"the server did not start: exit code {process.poll()}"
        yield address, process.pid
    finally:
        process.terminate()
        process.wait(timeout=60)


class MemoryWatch:
    """The peak of what processes and all their children hold, sampled; shared pages count once."""

    def __init__(self, *pids: int) -> None:
        self._pids = pids
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.peak = 0

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(0.05):
            self.peak = max(self.peak, sum(map(self._tree, self._pids)))

    def _tree(self, pid: int) -> int:
        held = 0
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            for one in (process, *process.children(recursive=True)):
                with suppress(psutil.Error):
                    memory = one.memory_full_info()
                    held += getattr(memory, "pss", 0) or memory.rss
        return held


def fetched(address: str) -> str:
    for _ in range(100):
        with suppress(OSError), urllib.request.urlopen(address, timeout=60) as answer:
            return answer.read().decode()
        time.sleep(0.2)
    raise AssertionError(f"{address} does not answer")


@pytest.mark.long  # an environment of its own, and the tour
@pytest.mark.live
def test_binder_opens_the_tour_within_its_memory(checkout: Path, built: dict[str, str]) -> None:
    with served(checkout, built) as (address, server):
        settings = json.loads(fetched(f"{address}/api/contents/{TOUR}?content=1"))
        assert settings["type"] == "notebook"
        with urllib.request.urlopen(address) as opened:
            assert opened.url.endswith(f"/lab/tree/{TOUR}")
        tour = subprocess.Popen(
            [checkout / "binder" / "start", "python", "-c", RUN_THE_TOUR],
            cwd=checkout,
            env=built,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        with MemoryWatch(server, tour.pid) as watch:
            said, _ = tour.communicate()
    assert tour.returncode == 0, said[-4000:]
    assert "views 0" not in said
    assert "NumPy" not in said  # torch warns at its import where there is none
    assert 100 * 1024**2 < watch.peak < BINDERS_MEMORY
    print(f"peak: {watch.peak / 1024**2:.0f} MB")


class TestDevcontainer:
    def test_its_commands_are_those_of_the_readme(self) -> None:
        settings = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
        readme = (ROOT / "README.md").read_text()
        assert settings["postCreateCommand"] in readme
        assert settings["postAttachCommand"].replace(" --no-browser", "") in readme
        assert settings["forwardPorts"] == [8888]  # JupyterLab's own

    def test_its_python_is_binders(self) -> None:
        settings = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
        version = (BINDER / "runtime.txt").read_text().strip().removeprefix("python-")
        assert f":{version}-" in settings["image"]

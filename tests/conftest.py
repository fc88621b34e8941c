"""What every test may ask for: a sample recording, goldens, and the machine's abilities."""

from __future__ import annotations

import builtins
import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from tests.benchmarks.core.chromium import find_chromium
from tests.fixtures import forked
from tests.fixtures.goldens import golden as golden
from tests.fixtures.goldens import goldens as goldens
from tests.fixtures.sample import sample as sample
from tests.view import samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

    from dynamo_lab.model.recording import Recording

LEFT_OUT = "not release and not long and not slow"
"""What pyproject.toml asks for, unless another `-m` is given."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="accept what the tests got as their goldens"
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    if config.option.markexpr != LEFT_OUT:
        return None
    return 'left out: tests marked "slow", "release" or "long"; `pytest -m ""` runs them too'


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium. Without one the test skips; in CI it fails."""
    path = find_chromium() if importlib.util.find_spec("playwright") else None
    if path is None:
        reason = "no Chromium: install chromium, or run `playwright install chromium`"
        required = os.environ.get("DYNAMO_LAB_REQUIRE_BROWSER") or os.environ.get("CI")
        (pytest.fail if required else pytest.skip)(reason)
    return path


@pytest.fixture(scope="session", autouse=True)
def _kernels_are_forked() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Notebooks run in forks of one process, so that PyTorch is imported once for all of them.

    Without `JUPYTER_PATH` they run in kernels as everyone's are, and so where there is a GPU: CUDA
    that the one process has begun with cannot be used in a fork of it.
    """
    # sockets have short names: not in pytest's own folder, which is deep
    with (
        tempfile.TemporaryDirectory(prefix="kernels") as folder,
        pytest.MonkeyPatch.context() as to,
    ):
        if hasattr(os, "fork") and not torch.cuda.is_available():
            to.setenv("JUPYTER_PATH", str(forked.specify(Path(folder))), prepend=os.pathsep)
        yield


@pytest.fixture
def make() -> Callable[[str], Recording]:
    """Make a recording of tests/view/samples by name, as `make("branch_and_print")`."""
    return lambda name: getattr(samples, name)()


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser for all tests: Playwright runs once a process."""
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield launched
        launched.close()


@pytest.fixture(autouse=True)
def _builtins_do_not_hold_themselves() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Dynamo follows what they hold, and fails in every later test once they hold themselves.

    A dataclass in a namespace without a `__name__` does that: it takes theirs for its own.
    """
    yield
    found: dict[str, Any] = builtins.__dict__
    held = found.pop("__builtins__", None)
    assert held is None, "the test has put `__builtins__` into the module builtins"


@pytest.fixture(autouse=True)
def _browser_where_marked(request: pytest.FixtureRequest) -> None:  # pyright: ignore[reportUnusedFunction]
    if request.node.get_closest_marker("browser"):
        request.getfixturevalue("chromium")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What stands in tests/live is live, what stands in tests/browser needs a browser."""
    for item in items:
        room = item.path.relative_to(Path(__file__).parent).parts[0]
        if room in ("live", "browser"):
            item.add_marker(room)
        if item.get_closest_marker("release") or item.get_closest_marker("long"):
            item.add_marker("slow")


def pytest_runtest_setup(item: pytest.Item) -> None:
    _leave_guards_untimed()
    for marker, needs in (("gpu", "CUDA"), ("mps", "Metal")):
        if item.get_closest_marker(marker) and not _has(marker):
            pytest.skip(f"needs {needs}, which this machine lacks")


def _leave_guards_untimed() -> None:
    """Once Dynamo is imported it times no guards: half of what compiling a small frame takes.

    It times them once a frame, with the processor's cache emptied first, for a log of its own that
    nothing here reads. Kernels and other processes of tests do it as everyone's.
    """
    guards: Any = sys.modules.get("torch._dynamo.guards")
    if hasattr(guards, "profile_guard_manager"):
        guards.profile_guard_manager = _no_time


def _no_time(*_: Any) -> float:
    return 0.0


def _has(marker: str) -> bool:
    import torch

    return torch.cuda.is_available() if marker == "gpu" else torch.backends.mps.is_available()

"""JupyterLab in headless Chromium. Errors on the browser's console fail the test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest

OpenNotebook = Callable[..., "Notebook"]


@dataclass
class Lab:
    """A JupyterLab server with a folder and settings of its own."""

    url: str
    folder: Path
    settings: Path

    def theme(self, name: str) -> None:
        """Set JupyterLab's theme for pages opened from now on."""
        target = self.settings / "@jupyterlab" / "apputils-extension"
        target.mkdir(parents=True, exist_ok=True)
        (target / "themes.jupyterlab-settings").write_text(json.dumps({"theme": name}))
        quiet = {"fetchNews": "false", "checkForUpdates": False}
        (target / "notification.jupyterlab-settings").write_text(json.dumps(quiet))

    def stop_kernels(self) -> None:
        """End every kernel, as a reader does who comes back the next day."""
        with urllib.request.urlopen(f"{self.url}/api/kernels") as answer:
            kernels: list[dict[str, Any]] = json.load(answer)
        for kernel in kernels:
            address = f"{self.url}/api/kernels/{kernel['id']}"
            request = urllib.request.Request(address, method="DELETE")
            urllib.request.urlopen(request)


@dataclass
class Notebook:
    """A notebook open in a page."""

    page: Any
    errors: list[str] = field(default_factory=list)
    """What the browser's console said was wrong; a test may take out what it expects."""

    def run_all(self) -> None:
        """Run every cell, one after the other, and wait until the kernel rests."""
        # what is run before JupyterLab is connected to the kernel is dropped
        self.page.evaluate("() => window.jupyterapp.restored")
        self.page.wait_for_function(CONNECTED, timeout=180_000)
        cells = self.page.locator(".jp-CodeCell .cm-content")
        count = cells.count()
        cells.first.click()
        for _ in range(count):
            # JupyterLab goes on to the next cell, also where that is scrolled out of sight
            self.page.keyboard.press("Shift+Enter")
        # each prompt has its number once its cell ran; "busy" alone can come and go unseen
        self.page.wait_for_function(RAN, arg=count, timeout=180_000)

    def widgets(self) -> Any:
        """The live views on the page."""
        return self.page.locator(".dynamo-lab-live")

    def save(self) -> None:
        """Save the notebook and wait until it is clean."""
        self.page.keyboard.press("Control+s")
        dirty = ".jp-mod-current.jp-mod-dirty, .lm-TabBar-tab.jp-mod-current.jp-mod-dirty"
        self.page.wait_for_function(f"() => !document.querySelector('{dirty}')", timeout=60_000)


CONNECTED = """() => {
  const { sessionContext } = window.jupyterapp.shell.currentWidget ?? {};
  const kernel = sessionContext?.session?.kernel;
  const isConnected = kernel?.connectionStatus === "connected";
  return sessionContext?.isReady && isConnected && kernel.status === "idle";
}"""
RAN = """count => [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")]
  .filter((prompt) => /\\[\\d+\\]/.test(prompt.textContent)).length >= count"""


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[Lab]:
    """A JupyterLab that runs for all browser tests, with this checkout's extension."""
    with serving(tmp_path_factory.mktemp("lab")) as served:
        yield served


@contextmanager
def serving(root: Path, *commands: Sequence[str]) -> Generator[Lab, None, None]:
    """A JupyterLab with folders of its own; `commands` are jupyter's, run before it starts."""
    pytest.importorskip("jupyterlab", reason="needs JupyterLab: pip install -e '.[lab]'")
    folder, settings = root / "notebooks", root / "settings"
    folder.mkdir()
    repository = Path(__file__).parents[2]
    (root / "share" / "labextensions").mkdir(parents=True)
    (root / "share" / "labextensions" / "dynamo-lab").symlink_to(
        repository / "dynamo_lab" / "labextension"
    )
    places = {
        name: str(root / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")
    }
    environment = (
        os.environ
        | places
        | {
            "JUPYTERLAB_SETTINGS_DIR": str(settings),
            "JUPYTERLAB_WORKSPACES_DIR": str(root / "workspaces"),
            "JUPYTER_PATH": os.pathsep.join(
                filter(None, (str(root / "share"), os.environ.get("JUPYTER_PATH")))
            ),
            "PYTHONPATH": os.pathsep.join(
                filter(None, (str(repository), os.environ.get("PYTHONPATH")))
            ),
        }
    )
    for command in commands:
        subprocess.run([sys.executable, "-m", "jupyter", *command], env=environment, check=True)
    options = [
        "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0",
        f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=", "--ServerApp.password=",
        "--ServerApp.disable_check_xsrf=True", "--LabApp.expose_app_in_browser=True",
    ]  # fmt: skip
    log = (root / "log.txt").open("w")
    command = [sys.executable, "-m", "jupyter", "lab", *options]
    server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield Lab(_address(root), folder, settings)
    finally:
        server.terminate()
        try:
            server.wait(timeout=60)  # it ends its kernels first
        except subprocess.TimeoutExpired:  # it hangs where one was just starting and ended again
            server.kill()
            server.wait()
        log.close()


def _address(root: Path) -> str:
    """Where the server answers, once it does: it chose a port that no other has."""
    for _ in range(900):
        for told in (root / "jupyter_runtime_dir").glob("jpserver-*.json"):
            with suppress(OSError, ValueError):
                url = f"http://127.0.0.1:{json.loads(told.read_text())['port']}"
                urllib.request.urlopen(f"{url}/api")
                return url
        time.sleep(0.2)
    return pytest.fail(f"JupyterLab did not start:\n{(root / 'log.txt').read_text()[-2000:]}")


@pytest.fixture
def open_notebook(lab: Lab, browser: Any) -> Iterator[OpenNotebook]:
    """Open a notebook of these cells, or one that is in the folder already."""
    with opening(lab, browser) as open_it:
        yield open_it


@contextmanager
def opening(lab: Lab, browser: Any) -> Generator[OpenNotebook, None, None]:
    """What opens notebooks in this JupyterLab; at the end nothing may have gone wrong in any."""
    opened: list[Notebook] = []

    def open_it(
        name: str, *cells: str, theme: str = "JupyterLab Light", width: int = 1400
    ) -> Notebook:
        lab.theme(theme)
        if cells:
            notebook: Any = nbformat.v4.new_notebook(
                cells=[nbformat.v4.new_code_cell(source) for source in cells],
                metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
            )
            nbformat.write(notebook, lab.folder / name)
        page = browser.new_page(viewport={"width": width, "height": 1200})
        page.set_default_timeout(60_000)
        found = Notebook(page)
        page.on("console", lambda m: found.errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: found.errors.append(str(error)))
        opened.append(found)
        page.goto(f"{lab.url}/lab/tree/{name}?reset")
        page.wait_for_selector(".jp-CodeCell .cm-content")
        page.wait_for_function("() => document.title.length > 0")
        return found

    yield open_it
    for notebook in opened:
        notebook.page.close()
    lab.stop_kernels()
    problems = [error for notebook in opened for error in notebook.errors]
    assert problems == []

"""A JupyterLab of its own, for a picture of a cell under `%%compile`."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CELLS = (
    "%load_ext dynamo_lab\nimport torch\n\nx = torch.randn(64, 64)",
    "%%compile\ny = torch.relu(x) + 1\nif y.sum() > 0:\n    y = y * 2\nout = y.softmax(-1)",
)
_IS_CONNECTED = """() => {
  const { sessionContext } = window.jupyterapp?.shell.currentWidget ?? {};
  const kernel = sessionContext?.session?.kernel;
  return sessionContext?.isReady && kernel?.connectionStatus === "connected";
}"""


@contextmanager
def server(folder: Path, theme: str) -> Iterator[str]:
    """A running JupyterLab with one notebook; its address. It listens on 127.0.0.1 alone."""
    _write_notebook(folder / "notebook.ipynb")
    _write_settings(folder / "settings" / "@jupyterlab" / "apputils-extension", theme)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    options = [
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={folder}",
        "--LabApp.expose_app_in_browser=True",
    ]
    own = {
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
    }
    command = [sys.executable, "-m", "jupyter", "lab", *options]
    with (folder / "log.txt").open("w") as log:
        lab = subprocess.Popen(command, env=os.environ | own, stdout=log, stderr=log)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api")
        yield f"http://127.0.0.1:{port}/doc/tree/notebook.ipynb?reset"
    finally:
        lab.terminate()
        lab.wait(timeout=30)


def take(page: Any, url: str, path: Path) -> None:
    """Run the notebook's cells, and take the picture of what it shows."""
    page.set_default_timeout(120_000)
    page.goto(url)
    page.wait_for_function(_IS_CONNECTED)
    page.locator(".jp-CodeCell .cm-content").first.click()
    for _ in CELLS:
        page.keyboard.press("Shift+Enter")
    live = page.locator(".dynamo-lab-live")
    live.locator(".dl-tabs").wait_for()
    page.wait_for_function("() => !document.querySelector('.dl-progress')")
    page.locator(".jp-CodeCell").nth(1).scroll_into_view_if_needed()
    page.wait_for_timeout(1500)  # for what is still drawn
    page.screenshot(path=path)


def _write_notebook(path: Path) -> None:
    empty = {"metadata": {}, "outputs": [], "execution_count": None}
    cells = [
        {"cell_type": "code", "id": f"cell{at}", "source": source, **empty}
        for at, source in enumerate(CELLS)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    path.write_text(
        json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})
    )


def _write_settings(folder: Path, theme: str) -> None:
    folder.mkdir(parents=True)
    named = {"theme": f"JupyterLab {theme.capitalize()}"}
    (folder / "themes.jupyterlab-settings").write_text(json.dumps(named))
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    (folder / "notification.jupyterlab-settings").write_text(json.dumps(quiet))


def _wait_for(url: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(url)
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError(f"JupyterLab did not start at {url}")

"""Where a Chromium is, and pages in it that tell how fast they answer."""

import importlib.util
import json
import os
import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dynamo_lab.errors import DynamoLabError


def find_chromium() -> str | None:
    """The Chromium to drive: `DYNAMO_LAB_CHROMIUM`, one on the PATH, or Playwright's own."""
    named = os.environ.get("DYNAMO_LAB_CHROMIUM")
    names = ("chromium", "chromium-browser", "google-chrome")
    on_path = next(filter(None, map(shutil.which, names)), None)
    if named or on_path or importlib.util.find_spec("playwright") is None:
        return named or on_path
    from playwright.sync_api import sync_playwright  # only here: it starts a process

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


INPUTS = ("pointerover", "click", "keydown", "input", "wheel")
_WATCH = """
window.inputs = [];
for (const type of TYPES)
  addEventListener(type, (event) => {
    requestAnimationFrame(() => {
      const channel = new MessageChannel();  // its message comes once the frame is drawn
      channel.port1.onmessage = () => inputs.push([type, performance.now() - event.timeStamp]);
      channel.port2.postMessage(0);
    });
  }, { capture: true, passive: true });
"""


@contextmanager
def watched_pages(inputs: Sequence[str] = INPUTS) -> Generator[Callable[[], Any]]:
    """Opens pages that measure how fast they answer to these events."""
    from playwright.sync_api import sync_playwright

    path = find_chromium()
    if path is None:
        raise DynamoLabError("There is no Chromium: run `playwright install chromium`.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        context.add_init_script(_WATCH.replace("TYPES", json.dumps(inputs)))
        yield context.new_page
        browser.close()


class Work:
    """What the main thread of a page works, of the processor's time: a busy machine adds little."""

    def __init__(self, page: Any) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._last = self.seconds()

    def seconds(self) -> float:
        """Of all its tasks so far."""
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    def lap(self) -> float:
        """Since the last lap."""
        before, self._last = self._last, self.seconds()
        return self._last - before


def heap(page: Any) -> float:
    """Bytes that the page's objects hold, once what nobody needs is collected."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    return session.send("Runtime.getHeapUsage")["usedSize"]


def answers(page: Any) -> list[float]:
    """Seconds from the browser's own time stamp of each input to the frame with its effect."""
    return page.evaluate("inputs.map((input) => input[1] / 1000)")

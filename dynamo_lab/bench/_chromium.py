"""Where a Chromium is."""

import importlib.util
import os
import shutil
from pathlib import Path


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

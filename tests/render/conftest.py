"""The offline page of a sample in Chromium, and all that goes wrong on it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from dynamo_lab.model.recording import Recording
from dynamo_lab.render.page import page as write_page
from dynamo_lab.render.page import page_of_several
from dynamo_lab.view import build
from dynamo_lab.view.compare.side_by_side import together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import (
        Browser,
        ConsoleMessage,
        Dialog,
        Error,
        Page,
        Request,
        ViewportSize,
    )

    Make = Callable[[str], Recording]

LOCAL = re.compile(r"(file|blob|data):")


SIZE: ViewportSize = {"width": 1400, "height": 900}


class Opened:
    """A page, and all that went wrong on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.wrong: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", self._error)
        page.on("dialog", self._dialog)
        page.on("request", self._request)

    def leave(self) -> None:
        """Make an empty page of it, which keeps nothing and is told of to nobody."""
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.page.set_viewport_size(SIZE)
        self.page.emulate_media(color_scheme="light", reduced_motion="no-preference")
        self.page.remove_listener("console", self._console)
        self.page.remove_listener("pageerror", self._error)
        self.page.remove_listener("dialog", self._dialog)
        self.page.remove_listener("request", self._request)

    def _error(self, error: Error) -> None:
        self.wrong.append(f"error: {error}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(f"{message.type}: {message.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        if not LOCAL.match(request.url):
            self.wrong.append(f"request: {request.url}")

    def tab(self) -> str:
        """The chosen tab's name."""
        chosen = self.page.locator("[data-tab][aria-selected=true]")
        return chosen.get_attribute("data-tab") or ""


@pytest.fixture(scope="session")
def empty() -> list[Page]:
    """Pages for whoever needs one: most of what a small page takes is the new process for it."""
    return []


@pytest.fixture
def show(
    browser: Browser, empty: list[Page], make: Make, tmp_path: Path
) -> Iterator[Callable[[str], Opened]]:
    """Open the page of a sample. After the test nothing may have gone wrong on any."""
    pages: list[Opened] = []

    def open_it(name: str) -> Opened:
        path = tmp_path / f"{name}.html"
        made: Any = make(name)
        is_one = isinstance(made, Recording)
        text = write_page(build(made)) if is_one else page_of_several(together(made))
        path.write_text(text, encoding="utf-8")
        opened = Opened(empty.pop() if empty else browser.new_page(viewport=SIZE))
        pages.append(opened)
        opened.page.goto(path.as_uri())
        opened.page.locator(".dl-body").wait_for()
        return opened

    yield open_it
    wrong = [problem for opened in pages for problem in opened.wrong]
    for opened in pages:
        if wrong or opened.page.is_closed():
            opened.page.close()
        else:
            opened.leave()
            empty.append(opened.page)
    assert wrong == []

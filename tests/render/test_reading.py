"""Each renderer tells how to read a view; the terminal does if asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.render import terminal
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.view import build
from dynamo_lab.view.help.help import READINGS, reading_of
from dynamo_lab.view.still_help import still_reading_of
from tests.fixtures.tabs import open_tab
from tests.render.sections import by_section

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.recording import Recording

    from .conftest import Opened

    Make = Callable[[str], Recording]


def sentence(view: str) -> str:
    found = reading_of(view)
    assert found is not None
    return found.sentence


def still_sentence(view: str) -> str:
    found = still_reading_of(view)
    assert found is not None
    return found.sentence


def test_the_terminal_explains_if_asked(make: Make, goldens: dict[str, str]) -> None:
    view = build(make("branch_and_print"))
    asked = ["breaks", "guards"]
    text = terminal.render(view, sections=asked, explain=True)
    assert by_section(text) == goldens
    assert sentence("guards") not in terminal.render(view, sections=asked)


@pytest.mark.parametrize("width", [60, 100])
def test_the_terminal_explains_within_its_width(make: Make, width: int) -> None:
    view = build(make("scheduled"))
    text = terminal.render(view, width=width, explain=True)
    assert max(len(line) for line in text.splitlines()) <= width
    assert sentence("memory") in " ".join(text.split())


def test_static_html_explains_what_it_shows(make: Make) -> None:
    html = fallback(build(make("branch_and_print")))
    summaries = re.findall(r"<summary><small>(.*?)</small></summary>", html)
    assert "What must hold" not in " ".join(summaries), "nothing was compiled again in it"
    shown = [re.sub(r"</?code>", "`", summary) for summary in summaries]
    assert sentence("breaks") in shown
    assert len(set(shown)) == len(shown)
    assert set(shown) <= {still_sentence(reading.view) for reading in READINGS}


_LIVE_ONLY = re.compile(r"(?i)\b(hover|click|point at|colou?rs?|keyboard|grey|pale|lights up)\b")


@pytest.mark.parametrize("name", ["branch_and_print", "scheduled", "lowered", "rewritten"])
def test_what_is_printed_promises_nothing_that_only_the_live_view_does(
    make: Make, name: str
) -> None:
    view = build(make(name))
    html = re.sub(r"<style.*?</style>|<[^>]*>", " ", fallback(view), flags=re.DOTALL)
    printed = terminal.render(view, sections=list(terminal.SECTIONS), explain=True)
    for text in (html, printed):
        assert [found[0] for found in _LIVE_ONLY.finditer(text)] == []


def test_every_reading_has_a_form_that_promises_nothing() -> None:
    for reading in READINGS:
        still = still_reading_of(reading.view)
        assert still is not None
        assert not _LIVE_ONLY.search(f"{still.sentence} {still.paragraph}")


@pytest.mark.browser
def test_the_page_explains_each_view(show: Callable[[str], Opened]) -> None:
    page = show("scheduled").page
    button, text = page.get_by_label("How to read this view"), page.locator(".dl-reading")
    for name in ("graphs", "fusion", "kernels"):
        open_tab(page, name)
        assert button.get_attribute("title") == sentence(name).replace("`", "")
        assert text.count() == 0
    button.focus()
    page.keyboard.press("Enter")
    text.locator("pre").wait_for()
    open_tab(page, "memory")
    assert text.locator("p").first.inner_text() == sentence("memory"), "what was opened stays open"
    button.click()
    open_tab(page, "graphs")
    assert text.count() == 0, "what was closed stays closed"

"""Findings are on top of each renderer, as text, ten at most, with their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from dynamo_lab.api.findings import findings_of
from dynamo_lab.api.recording import Recording
from dynamo_lab.render import terminal
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.render.page import page as write_page
from dynamo_lab.view import View, build
from dynamo_lab.view.benchmarks import kernel_times
from dynamo_lab.view.findings.finding import Evidence, Finding, Gain
from dynamo_lab.view.findings.findings import CLEAN, FindingsView
from dynamo_lab.view.findings.words import gain_in_words
from tests.fixtures.tabs import open_tab
from tests.view.samples import branch_and_print, hostile, measured, rewritten, skipped

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from dynamo_lab.view.benchmarks.kernel_times import KernelTimesView
    from dynamo_lab.view.findings.finding import Metric

HOSTILE = "</script><script>alert(1)</script>\x1b[31m\u2028\u202e"


def _with(count: int, text: str = "It is wrong", more: int = 0) -> View:
    found = tuple(
        Finding(
            id=at,
            rule="a-rule",
            question="speed",
            sentence=f"{text} {at}.",
            where="line 3",
            entity="line:0:3",
            evidence=(Evidence(text=text, tab="breaks", entity="break:0"),),
            remedy=text,
            code=text,
            grade_text="can be applied safely",
            gain_text="breaks: 2 to 1, counted",
            can_apply=True,
        )
        for at in range(count)
    )
    return structs.replace(build(branch_and_print()), findings=FindingsView(found=found, more=more))


def test_the_terminal_has_them_right_after_the_summary() -> None:
    text = terminal.render(_with(10, more=3), can_try=True)
    assert text.index("It is wrong 0.") < text.index("It is wrong 9.") < text.index("Breaks  ")
    assert "can be applied safely" in text
    assert "foretold: breaks: 2 to 1, counted" in text
    assert "rec.findings[9].apply()" in text
    assert "rec.findings" not in terminal.render(_with(10))
    assert "3 more that come after these" in text


def test_static_html_has_them_before_its_sections() -> None:
    html = fallback(_with(10, more=3))
    assert html.index("It is wrong 0.") < html.index("It is wrong 9.") < html.index("<h4>")
    assert "foretold: breaks: 2 to 1, counted" in html


def test_without_one_each_says_so_in_a_line() -> None:
    view = structs.replace(build(branch_and_print()), findings=FindingsView(clean=CLEAN))
    assert CLEAN in terminal.render(view)
    assert CLEAN in fallback(view)


@pytest.mark.parametrize("width", [60, 100])
def test_hostile_text_is_text(width: int) -> None:
    view = _with(2, HOSTILE)
    text = terminal.render(view, width=width)
    assert "\x1b" not in text
    assert "\u2028" not in text
    assert "<script>" not in fallback(view)
    terminal.render(build(hostile()), width=width)


@pytest.mark.parametrize(
    ("metric", "before", "after", "words"),
    [
        ("seconds a call", 0.002, 0.001, "seconds a call: 2.0 ms to 1.0 ms, replayed"),
        ("bytes", 2_000, 1_000, "bytes: 2 kB to 1 kB, replayed"),
        ("recompilations", 7, 1, "recompilations: 7 to 1, replayed"),
    ],
)
def test_a_gain_in_words(metric: Metric, before: float, after: float, words: str) -> None:
    gain = Gain(metric=metric, before=before, after=after, how="replayed")
    assert gain_in_words(gain) == words


def test_the_handle_has_the_views_findings_with_numbers_from_0() -> None:
    facts = branch_and_print()
    recording = Recording(**structs.asdict(facts))
    shown = build(facts).findings.found
    told = [(one.rule, one.where, one.sentence) for one in shown]
    assert [(one.rule, one.where, one.sentence) for one in recording.findings] == told
    assert [one.id for one in recording.findings] == list(range(len(shown)))
    assert "breaks the graph" in str(recording.findings)


def test_the_table_of_kernel_times_is_made_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []

    def counted(*arguments: Any) -> KernelTimesView:
        made.append(arguments)
        return original(*arguments)

    original = kernel_times.build
    monkeypatch.setattr(kernel_times, "build", counted)
    view = build(measured())
    assert view.bench is not None
    assert view.bench.kernels.programs
    assert len(made) == 1


def test_no_findings_print_one_line() -> None:
    def never(_: tuple[int, ...] | None) -> Any:
        raise AssertionError("nothing is there to apply")

    assert "Nothing is concluded" in str(Recording(title="empty").findings)
    assert str(findings_of(rewritten(), never, False)) == CLEAN


def test_of_what_failed_or_was_not_compiled_nothing_is_called_clean() -> None:
    assert build(Recording(title="empty")).findings == FindingsView()
    assert build(skipped()).findings.clean == ""
    assert build(rewritten()).findings.clean == CLEAN


@pytest.mark.browser
@pytest.mark.parametrize("width", [700, 1800])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_has_them_on_top_and_leads_to_what_they_rest_on(
    browser: Browser, tmp_path: Path, width: int, scheme: Any
) -> None:
    path = tmp_path / "page.html"
    path.write_text(write_page(_with(10, HOSTILE, more=3)), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.goto(path.as_uri())
    found = page.locator(".dl-findings")
    found.get_by_text("10 problems, 3 more").wait_for()
    found.locator("li.dl-finding").last.wait_for()
    assert found.locator("li.dl-finding").count() == 10
    assert found.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    found.locator(".dl-finding-seen").first.click()
    assert page.locator("[data-tab=breaks][aria-selected=true]").count() == 1
    page.locator(".dl-card.is-held").wait_for()
    open_tab(page, "overview")
    found.locator(".dl-go").first.click()
    found.get_by_text("rec.findings[0].apply()").wait_for()
    page.screenshot(path=tmp_path / "page.png")
    assert wrong == []
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [480, 1000])
def test_with_findings_open_the_code_and_the_view_keep_their_room(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    path = tmp_path / "page.html"
    path.write_text(write_page(_with(10, HOSTILE, more=3)), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 600})
    page.goto(path.as_uri())
    page.get_by_text("10 problems, 3 more").click()
    page.locator("li.dl-finding").last.wait_for()
    heights = {
        name: page.locator(name).evaluate("(one) => one.getBoundingClientRect().height")
        for name in (".dl-body", ".dl-code", ".dl-panel", ".dl-findings")
    }
    page.screenshot(path=tmp_path / "page.png")
    page.close()
    assert heights[".dl-body"] >= 280
    assert heights[".dl-code"] >= 80, "the legend does not take what the code needs"
    assert heights[".dl-panel"] >= 100
    assert heights[".dl-findings"] >= 100

"""The page for everyone: axe finds nothing serious, keys do everything, changes are said."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.fixtures.tabs import all_tabs, open_tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.render.conftest import Opened

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[3] / "dynamo_lab/frontend/node_modules/axe-core/axe.min.js"

EVERY_VIEW = ["film", "measured", "scheduled", "planned", "packaged", "nothing"]
"""Samples that have, among them, every view of a page made without the compiler of our own."""

OTHERS = ["hostile", "lowered", "nested", "unrolled", "blocks"]

RUN = """async (runOnly) => {
  const rules = { "target-size": { enabled: true } };
  const how = runOnly.length > 0 ? { runOnly } : { rules };
  const { violations } = await axe.run("#dynamo-lab", { resultTypes: ["violations"], ...how });
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The text of axe-core, from the front-end's own packages. In CI it is there."""
    if not AXE.exists():
        reason = "no axe-core: `npm ci` in dynamo_lab/frontend"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return AXE.read_text(encoding="utf-8")


def settled(page: Page) -> None:
    """Wait until what moves has come to rest: half-transparent text is not what is read."""
    page.evaluate("() => Promise.all(document.getAnimations().map(({ finished }) => finished))")


def found(page: Page, where: str, *only: str) -> list[str]:
    """What axe holds against the page as it is, by these rules or by all, each with the place."""
    settled(page)
    return [f"{where}: {one}" for one in page.evaluate(RUN, list(only))]


def of_every_view(page: Page, *only: str) -> list[str]:
    wrong: list[str] = []
    for name in all_tabs(page):
        open_tab(page, name)
        page.locator(f".dl-panel-{name}").wait_for()
        wrong += found(page, name, *only)
    return wrong


@pytest.mark.parametrize("name", EVERY_VIEW)
def test_axe_finds_nothing_serious_in_any_view(
    show: Callable[[str], Opened], axe: str, name: str
) -> None:
    page = show(name).page
    page.evaluate(axe)
    assert found(page, "first") + of_every_view(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [*EVERY_VIEW[:4], "attending"])
def test_in_the_dark_all_can_be_read(show: Callable[[str], Opened], axe: str, name: str) -> None:
    page = show(name).page
    page.emulate_media(color_scheme="dark")
    page.locator("[data-scheme=dark]").wait_for()
    page.evaluate(axe)
    assert of_every_view(page, "color-contrast") == []


@pytest.mark.release
@pytest.mark.parametrize("name", OTHERS)
def test_axe_finds_nothing_serious_in_other_programs(
    show: Callable[[str], Opened], axe: str, name: str
) -> None:
    page = show(name).page
    page.evaluate(axe)
    assert of_every_view(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_what_opens(
    show: Callable[[str], Opened], axe: str, scheme: Any
) -> None:
    page = show("assembled").page
    page.emulate_media(color_scheme=scheme)
    page.evaluate(axe)
    open_tab(page, "graphs")
    page.locator(".dl-row-node").nth(1).click()
    page.keyboard.press("d")
    page.locator(".dl-selection").wait_for()
    wrong = found(page, "details")
    page.keyboard.press("d")
    page.get_by_role("button", name="diagram", exact=True).click()
    page.locator(".dl-box").first.wait_for()
    wrong += found(page, "diagram")
    open_tab(page, "kernels")
    page.locator(".dl-assembly").wait_for()
    wrong += found(page, "assembly")
    page.keyboard.press("?")
    page.locator(".dl-help").wait_for()
    assert wrong + found(page, "keys") == []


def test_axe_does_find_what_is_wrong(show: Callable[[str], Opened], axe: str) -> None:
    page = show("branch_and_print").page
    page.evaluate(axe)
    page.locator(".dl-code-toggle").evaluate("one => { one.textContent = ''; one.title = ''; }")
    page.locator(".dl-sentence").evaluate("one => { one.style.color = '#cccccc'; }")
    assert {one.split(": ")[1] for one in found(page, "")} == {"button-name", "color-contrast"}


STOPS = """() => [...document.querySelectorAll("#dynamo-lab *")].filter((one) => one.tabIndex >= 0
    && one.matches("a[href], button, input, select, textarea, summary, [tabindex]")
    && !one.disabled && one.checkVisibility({ visibilityProperty: true }))
  .map((one, i) => (one.dataset.stop = i))"""

FOCUSED = """() => {
  const one = document.activeElement;
  const style = getComputedStyle(one);
  const ring = one.closest(".cm-editor") ?? one;
  const shows = [one, ring].some((at) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  }) || one.matches(".dl-splitter")
    || (one.matches(".dl-box") // a stroke around its own shape
      && parseFloat(getComputedStyle(one.querySelector("rect")).strokeWidth) >= 2);
  return { stop: one.dataset.stop, shows, html: one.outerHTML.slice(0, 120) };
}"""


def walk(page: Page) -> tuple[list[int], list[str]]:
    """Press Tab to the last stop: those reached in order, and what is missed or has no ring."""
    count = len(page.evaluate(STOPS))
    page.evaluate("() => document.activeElement.blur()")
    page.locator("#dynamo-lab").focus()
    reached: list[int] = []
    bare: list[str] = []
    for _ in range(count + 1):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at["stop"] is None or int(at["stop"]) in reached:
            break
        reached.append(int(at["stop"]))
        if not at["shows"]:
            bare.append(at["html"])
    missed = set(range(count)) - set(reached)
    one = "i => document.querySelector(`[data-stop='${i}']`).outerHTML.slice(0, 120)"
    return reached, bare + [f"never reached: {page.evaluate(one, i)}" for i in sorted(missed)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["film", "measured", "scheduled", "lowered"])
def test_the_keyboard_alone_reaches_all_there_is_in_every_view(
    show: Callable[[str], Opened], name: str
) -> None:
    opened = show(name)
    page = opened.page
    wrong: list[str] = []
    seen: list[str] = []
    groups = page.locator(".dl-groups [role=tab]").count()
    for group in range(1, groups + 1):
        page.keyboard.press(str(group))
        while opened.tab() not in seen:
            seen.append(opened.tab())
            page.locator(f".dl-panel-{seen[-1]}").wait_for()
            page.wait_for_function("() => !document.querySelector('.dl-waiting')")
            reached, problems = walk(page)
            wrong += [f"{seen[-1]}: {one}" for one in problems]
            assert reached == sorted(reached), "the focus goes as the page is read"
            page.locator("#dynamo-lab").focus()
            page.keyboard.press(str(group))
    assert wrong == []
    assert sorted(seen) == sorted(all_tabs(page))


def test_rows_and_their_folds_are_opened_by_enter(show: Callable[[str], Opened]) -> None:
    page = show("sizes").page
    open_tab(page, "guards")
    page.get_by_role("button", name="Guards 2").click()
    page.locator(".dl-row-guard").first.wait_for()
    page.get_by_role("grid", name="Guards").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.locator(".dl-row-head.is-cursor [aria-expanded=false]").wait_for()
    page.keyboard.press("Enter")
    page.locator(".dl-row-head.is-cursor [aria-expanded=true]").wait_for()


def test_what_changes_is_said(show: Callable[[str], Opened]) -> None:
    page = show("branch_and_print").page
    said = page.locator("[role=status].dl-said")
    assert said.inner_text() == "Overview"
    page.keyboard.press("3")
    page.keyboard.press("3")
    said.get_by_text("Graphs").or_(said.get_by_text("Decompositions")).first.wait_for()
    open_tab(page, "graphs")
    page.locator(".dl-row[data-entity='node:0:2'] .dl-row-number").click()
    page.locator(".dl-said", has_text="Graphs. Selected: ").wait_for()
    assert "Its way: your code 2" in said.inner_text()
    page.keyboard.press("y")
    page.locator(".dl-said", has_text="graph=0&node=").wait_for()


def test_nothing_moves_for_who_asked_for_that(show: Callable[[str], Opened]) -> None:
    page = show("branch_and_print").page
    moving = "() => document.getAnimations().length"
    open_tab(page, "graphs")
    page.locator(".dl-row-node").nth(1).click()
    motions: tuple[tuple[Any, int], ...] = (("no-preference", 1), ("reduce", 0))
    for motion, expected in motions:
        page.emulate_media(reduced_motion=motion)
        page.add_style_tag(content=".dl-selection { animation-duration: 60s !important; }")
        page.keyboard.press("d")
        page.locator(".dl-selection").wait_for()
        assert page.evaluate(moving) == expected
        page.keyboard.press("d")
        page.locator(".dl-selection").wait_for(state="detached")

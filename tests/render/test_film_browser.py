"""The film in the Steps tab: it plays by keys, goes back, over and out, and breaks lead to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fixtures.tabs import open_tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from dynamo_lab.model.recording import Recording

    from .conftest import Opened

    Make = Callable[[str], Recording]


pytestmark = pytest.mark.browser


def film_shows(page: Page) -> tuple[str, str, list[str]]:
    """The instruction at hand, the line marked in the code, and the names in the graph so far."""
    return (
        page.locator(".dl-instruction.is-current .dl-op").inner_text(),
        page.locator(".cm-line.is-step").inner_text().strip(),
        page.locator(".dl-pane-graph .dl-name").all_inner_texts(),
    )


def test_the_film_plays_from_its_first_to_its_last_instruction(
    show: Callable[[str], Opened],
) -> None:
    page = show("film").page
    open_tab(page, "steps")
    page.keyboard.press("Home")
    seen = [film_shows(page)]
    for _ in range(11):
        page.keyboard.press("ArrowRight")
        seen.append(film_shows(page))
    assert [name for name, *_ in seen] == [
        "RESUME", "LOAD_FAST", "CALL", "LOAD_FAST", "RETURN_VALUE", "CALL",
    ] * 2  # fmt: skip
    assert [line for _, line, _ in seen[:6]] == [
        "def outer(x):", "print(inner(x))", "print(inner(x))",
        "return a * 2", "return a * 2", "print(inner(x))",
    ]  # fmt: skip
    assert [nodes for *_, nodes in seen[:6]] == [[], [], [], *[["mul", "x"]] * 3]
    assert seen[6][2] == [], "the second analysis starts anew"
    assert "graph 1 ends here" in page.locator(".dl-deed").inner_text()
    assert "Cut off here" in page.locator(".dl-deed").inner_text()


def test_the_film_goes_back_over_and_out(show: Callable[[str], Opened]) -> None:
    page = show("film").page
    open_tab(page, "steps")
    deed = page.locator(".dl-deed")
    leads = {"b": 6, "Home": 1, "o": 2, "End": 12, "B": 6, "O": 3, "A": 1, "n": 4, "u": 6}
    for key, step in leads.items():
        page.keyboard.press(key)
        assert f"step {step} of 12" in deed.inner_text(), key
    page.keyboard.press("Home")
    page.locator("[aria-label='Next guard (g, back with G)']").click()
    assert page.locator(".dl-pane-guards .is-new").inner_text() == "TENSOR_MATCH L['x']"
    assert page.locator(".dl-pane-locals .is-new .dl-name").inner_text() == "a"
    page.locator(".dl-chain .dl-link").click()  # back to the call
    assert "step 3 of 12" in deed.inner_text()


def test_a_break_leads_into_the_film(show: Callable[[str], Opened]) -> None:
    page = show("film").page
    open_tab(page, "breaks")
    page.get_by_role("button", name="Show the steps to it").click()
    assert "step 12 of 12" in page.locator(".dl-deed").inner_text()

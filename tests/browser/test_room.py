"""The room that a view takes in JupyterLab: its panel, a tab of its own, the wheel."""

import pytest

from tests.browser.conftest import OpenNotebook
from tests.fixtures.tabs import open_tab

SETUP = "import torch\n%load_ext dynamo_lab\nx = torch.ones(8, 8)"
CELL = "%%compile --backend aot_eager\ny = (x.sin() * 2).softmax(-1)"


@pytest.mark.slow
def test_a_view_fills_the_panel_opens_in_a_tab_and_lets_the_notebook_scroll(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook("room.ipynb", SETUP, CELL, *["# below"] * 12)
    notebook.run_all()
    page, view = notebook.page, notebook.widgets().first
    view.scroll_into_view_if_needed()
    view.get_by_text("1 graph").first.wait_for()

    # the wheel over a diagram scrolls the notebook, with Ctrl it zooms the diagram
    open_tab(view, "graphs")
    view.get_by_role("button", name="diagram", exact=True).click()
    view.locator(".dl-box").first.wait_for()
    drawing = view.locator(".dl-canvas > svg > g")
    before, canvas = drawing.get_attribute("transform"), view.locator(".dl-canvas")
    canvas.hover()
    at = canvas.bounding_box()
    page.mouse.wheel(0, 120)
    page.wait_for_function(
        "y => document.querySelector('.dl-canvas').getBoundingClientRect().y < y - 50", arg=at["y"]
    )
    assert drawing.get_attribute("transform") == before
    canvas.hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -40)
    page.keyboard.up("Control")
    page.wait_for_function(
        "was => document.querySelector('.dl-canvas > svg > g').getAttribute('transform') !== was",
        arg=before,
    )

    # m fills the notebook's panel, and goes back
    panel = page.locator(".jp-NotebookPanel").bounding_box()
    small = view.bounding_box()
    canvas.focus()
    page.keyboard.press("m")
    page.locator(".dynamo-lab-live.is-maximised").wait_for()
    assert view.bounding_box() == panel
    assert view.locator(".dl-app").bounding_box()["height"] > small["height"] + 100
    assert canvas.is_visible(), "it is the same view, not a new one"
    page.keyboard.press("Escape")
    page.locator(".dynamo-lab-live.is-maximised").wait_for(state="detached")
    assert view.bounding_box()["height"] == small["height"]

    # c shows the code that the cell above has
    assert view.locator(".dl-left").count() == 0
    page.keyboard.press("c")
    view.locator(".dl-left .cm-line", has_text="softmax").first.wait_for()
    page.keyboard.press("c")
    view.locator(".dl-left").wait_for(state="detached")

    # a node that is chosen is chosen where the view goes to
    view.get_by_role("button", name="listing", exact=True).click()
    view.locator(".dl-row-node", has_text="sin").first.click()
    view.locator(".dl-foot.is-pinned").wait_for()

    # the menu of what to keep has the link to what is shown, as the key has
    view.get_by_role("button", name="Save", exact=True).click()
    view.get_by_role("menuitem", name="Copy link to this view").click()
    view.locator(".dl-foot-told", has_text="#graph=0&node=sin").wait_for()

    # popped out it is in a tab of JupyterLab, shows what was shown, and works there
    tabs = page.locator("#jp-main-dock-panel .lm-TabBar-tab")
    count = tabs.count()
    view.get_by_role("button", name="Open it in a place of its own").click()
    page.wait_for_function(
        "n => document.querySelectorAll('#jp-main-dock-panel .lm-TabBar-tab').length > n", arg=count
    )
    out = page.locator(".dynamo-lab-live:visible").last
    out.get_by_text("1 graph").first.wait_for()
    out.locator(".dl-panel-graphs .dl-row-node.is-held", has_text="sin").first.wait_for()
    open_tab(out, "overview")
    out.locator(".dl-panel-overview").wait_for()

"""What a user of JupyterLab sees, clicks and keeps."""

import pytest

from tests.browser.conftest import CONNECTED, Lab, Notebook, OpenNotebook
from tests.fixtures.tabs import open_tab

SETUP = "import torch\n%load_ext dynamo_lab\nx = torch.ones(8, 8)"
BREAKS = (
    "%%compile --backend aot_eager\n"
    "y = torch.tanh(x) + 1\n"
    "if y.sum() > 0:\n"
    "    y = y * 2\n"
    "print('between')\n"
    "out = y.softmax(-1)"
)
KERNELS = "%%compile\nz = (x.sin() * 2).softmax(-1)"


@pytest.mark.slow
def test_a_cell_shows_graphs_breaks_and_kernels_linked_to_its_lines(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook("kernels.ipynb", SETUP, KERNELS)
    notebook.run_all()
    view = notebook.widgets().first
    view.wait_for()
    view.get_by_text("1 graph").first.wait_for()
    open_tab(view, "kernels")
    view.get_by_text("softmax").first.wait_for()
    view.get_by_text("#include").first.wait_for()
    open_tab(view, "graphs")
    assert view.locator(".dl-row-node.is-lit").count() == 0
    assert view.locator(".dl-left").count() == 0, "the cell above shows the code, and its marks"
    cell = notebook.page.locator(".jp-CodeCell").nth(1)
    cell.locator(".jp-InputArea .cm-line", has_text="x.sin()").hover()
    view.locator(".dl-row-node.is-lit", has_text="sin").first.wait_for()


@pytest.mark.slow
def test_breaks_are_marked_and_explained(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("breaks.ipynb", SETUP, BREAKS)
    notebook.run_all()
    view = notebook.widgets().first
    view.get_by_text("2 breaks").first.wait_for()
    open_tab(view, "breaks")
    view.get_by_text("data-dependent branch").first.wait_for()
    assert view.get_by_text("torch.where").count() > 0
    notebook.page.get_by_text("between").first.wait_for()


@pytest.mark.slow
def test_two_displays_do_not_disturb_each_other(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("two.ipynb", SETUP, BREAKS, "%%compile --backend eager\nw = x + 1")
    notebook.run_all()
    first, second = notebook.widgets().nth(0), notebook.widgets().nth(1)
    open_tab(first, "frames")
    assert first.locator(".dl-panel-frames").count() == 1
    assert second.locator(".dl-panel-frames").count() == 0
    first.get_by_text("3 graphs").first.wait_for()
    second.get_by_text("1 graph").first.wait_for()


@pytest.mark.slow
def test_the_lasting_output_gives_way_to_the_live_view(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("gives_way.ipynb", SETUP, BREAKS)
    notebook.run_all()
    notebook.widgets().first.get_by_text("2 breaks").first.wait_for()
    static = notebook.page.locator(".dynamo-lab-static")
    assert static.count() == 1
    assert not static.first.is_visible()


@pytest.mark.slow
def test_reopened_without_its_kernel_a_notebook_still_shows_what_was_found(
    open_notebook: OpenNotebook, lab: Lab
) -> None:
    notebook = open_notebook("kept.ipynb", SETUP, BREAKS)
    notebook.run_all()
    notebook.widgets().first.get_by_text("2 breaks").first.wait_for()
    notebook.save()
    notebook.page.close()
    lab.stop_kernels()
    again = open_notebook("kept.ipynb")
    static = again.page.locator(".dynamo-lab-static")
    static.first.wait_for()
    assert static.first.is_visible()
    assert "data-dependent branch" in static.first.inner_text()
    lost = again.page.get_by_text("model not found")
    assert not any(lost.nth(i).is_visible() for i in range(lost.count()))
    # JupyterLab says so on the console, of every widget without a kernel
    again.errors[:] = [e for e in again.errors if "widget model not found" not in e]


@pytest.mark.slow
def test_once_the_kernel_is_back_a_saved_notebooks_views_are_live_again(
    open_notebook: OpenNotebook, lab: Lab
) -> None:
    notebook = open_notebook("revived.ipynb", SETUP, BREAKS)
    notebook.run_all()
    notebook.widgets().first.get_by_text("2 breaks").first.wait_for()
    page = notebook.page

    page.evaluate("() => void window.jupyterapp.commands.execute('kernelmenu:restart')")
    page.locator(".jp-Dialog .jp-mod-accept").click()
    page.locator(".jp-Dialog").wait_for(state="detached")
    page.wait_for_function(CONNECTED)
    old = notebook.widgets().first.element_handle()
    load(notebook)
    page.wait_for_function("view => !view.isConnected", arg=old)
    notebook.save()  # while the notebook has the keyboard, not the view
    asks_its_kernel(notebook)
    page.close()
    lab.stop_kernels()

    again = open_notebook("revived.ipynb")
    again.page.locator(".dynamo-lab-static").first.wait_for()
    again.page.wait_for_function(CONNECTED)
    assert again.widgets().count() == 0
    load(again)
    again.widgets().first.get_by_text("2 breaks").first.wait_for()
    assert not again.page.locator(".dynamo-lab-static").first.is_visible()
    asks_its_kernel(again)
    again.page.locator(".jp-CodeCell .cm-content").nth(1).click()
    again.page.keyboard.press("Shift+Enter")
    again.widgets().first.get_by_role("button", name="Apply to cell 2").wait_for()
    assert again.widgets().count() == 1
    again.errors[:] = [e for e in again.errors if "widget model not found" not in e]


def load(notebook: Notebook) -> None:
    """Run the first cell, which loads dynamo_lab."""
    notebook.page.locator(".jp-CodeCell .cm-content").first.click()
    notebook.page.keyboard.press("Shift+Enter")


def asks_its_kernel(notebook: Notebook) -> None:
    """The view is live: what is typed in it is answered, of a recording without its program."""
    view = notebook.widgets().first
    open_tab(view, "guards")
    ask = view.get_by_label("Arguments of a call")
    ask.fill("x=x")
    ask.press("Enter")
    view.get_by_text("has no live guards").first.wait_for()


@pytest.mark.long
def test_the_view_takes_jupyterlabs_dark_theme(open_notebook: OpenNotebook) -> None:
    colours: list[str] = []
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        notebook = open_notebook("theme.ipynb", SETUP, BREAKS, theme=theme)
        notebook.run_all()
        view = notebook.widgets().first
        view.wait_for()
        colours.append(view.evaluate("element => getComputedStyle(element).backgroundColor"))
    assert colours[0] != colours[1]


@pytest.mark.slow
def test_a_failed_cell_shows_its_view_and_its_error(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("fails.ipynb", SETUP, "%%compile\ny = x * 2\nz = y.view(3, -1)")
    notebook.run_all()
    notebook.widgets().first.wait_for()
    shown = notebook.page.locator(".jp-OutputArea-output", has_text="TorchRuntimeError: Runtime")
    shown.first.wait_for()


@pytest.mark.slow
def test_an_input_can_be_tried_on_the_guards(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("would.ipynb", SETUP, "%%compile\ny = x * 2")
    notebook.run_all()
    view = notebook.widgets().first
    open_tab(view, "guards")
    ask = view.get_by_label("Arguments of a call")
    for text, words in (
        ("x=x", "would reuse that code"),
        ("x=torch.randn(3, 3, dtype=torch.float64)", "would be compiled again"),
        ("x=nobody", "NameError"),
    ):
        ask.fill(text)
        ask.press("Enter")
        view.get_by_text(words).first.wait_for()
    ask.fill("x=x.double()")
    ask.press("Enter")
    view.locator(".dl-row-guard.is-failing").first.wait_for()


@pytest.mark.long
def test_the_page_can_be_saved_from_the_view(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("save.ipynb", SETUP, BREAKS)
    notebook.run_all()
    view = notebook.widgets().first
    view.get_by_text("2 breaks").first.wait_for()
    view.get_by_role("button", name="Save").click()
    with notebook.page.expect_download() as download:
        view.get_by_text("page", exact=False).last.click()
    assert download.value.suggested_filename.endswith(".html")


FILMED = (
    "%%compile --steps --backend eager\n"
    "y = torch.sin(x) + 1\n"
    "if y.sum() > 0:\n"
    "    y = y.softmax(-1)\n"
    "print('hi')\n"
    "out = torch.relu(y) @ x"
)


@pytest.mark.long
def test_the_film_plays_from_its_first_to_its_last_instruction(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("film.ipynb", SETUP, FILMED)
    notebook.run_all()
    view = notebook.widgets().first
    view.get_by_text("2 breaks").first.wait_for()
    view.get_by_role("button", name="Your code").click()
    open_tab(view, "steps")
    deed, line = view.locator(".dl-deed"), view.locator(".cm-line.is-step")
    count = int(deed.inner_text().partition(" of ")[2].split()[0])
    assert count > 50
    lines: list[str] = []
    for step in range(1, count + 1):
        assert f"step {step} of {count}" in deed.inner_text()
        if line.count():
            lines.append(line.inner_text().strip())
        notebook.page.keyboard.press("ArrowRight")
    seen = list(dict.fromkeys(lines))
    assert seen[-5:] == FILMED.replace("    y =", "y =").split("\n")[1:]
    notebook.page.keyboard.press("b")  # the last step: there is no break after it, and no cell
    assert f"step {count} of {count}" in deed.inner_text()


@pytest.mark.slow
def test_a_fix_is_tried_and_its_recording_opened_in_place(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("fix.ipynb", SETUP, BREAKS)
    notebook.run_all()
    view = notebook.widgets().first
    view.get_by_text("2 breaks").first.wait_for()
    open_tab(view, "breaks")
    card = view.locator(".dl-card").first
    card.get_by_role("button", name="Try it").first.click()
    card.get_by_text("what is written and gradients are as in eager").wait_for()
    rows = card.locator(".dl-trial-counts tbody tr")
    assert [row.locator("td").first.inner_text() for row in rows.all()] == ["2", "1"]
    card.get_by_role("button", name="Open this recording").click()
    view.get_by_text("with the fix torch.where").wait_for()
    view.get_by_text("1 break", exact=True).first.wait_for()
    view.get_by_role("button", name="Back to your recording").click()
    view.get_by_text("2 breaks").first.wait_for()


BRANCHES = (
    "%%compile --backend aot_eager\n"
    "y = torch.relu(x) + 1\n"
    "z = torch.cond(y.sum() > 0, lambda y: y.sin(), lambda y: y.cos(), (y,))"
)


@pytest.mark.long
def test_a_graph_is_searched_walked_drawn_and_saved(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("graphs.ipynb", SETUP, BRANCHES)
    notebook.run_all()
    view = notebook.widgets().first
    open_tab(view, "graphs")
    view.get_by_label("Search nodes").fill("op:relu dtype:f32")
    view.get_by_text("1 hit").wait_for()
    view.get_by_label("Search nodes").fill("")
    row = view.locator(".dl-row-node", has_text="relu(").first
    row.locator(".dl-row-number").click()
    # Twice "i" would interrupt the kernel, and "d" delete the cell, were they JupyterLab's.
    cells = notebook.page.locator(".jp-CodeCell").count()
    for key in "uiidd":
        notebook.page.keyboard.press(key)
    view.locator(".dl-row.is-cursor").wait_for()
    assert notebook.page.locator(".jp-CodeCell").count() == cells
    view.get_by_role("button", name="diagram", exact=True).click()
    view.locator(".dl-box.has-body").press("Enter")
    view.locator(".dl-box-title", has_text="cos").wait_for()
    with notebook.page.expect_download() as download:
        view.get_by_role("button", name="SVG", exact=True).click()
    assert download.value.suggested_filename == "graph_1.svg"


@pytest.mark.release
def test_passes_are_stepped_through_by_keys_that_stay_in_the_view(
    open_notebook: OpenNotebook,
) -> None:
    notebook = open_notebook("passes.ipynb", SETUP, "%%compile\ny = (x @ x + x).clone() * 1")
    notebook.run_all()
    view = notebook.widgets().first
    open_tab(view, "passes")
    heading = view.locator(".dl-pass-heading")
    heading.wait_for()
    first = heading.inner_text()
    view.locator(".dl-row-pass.is-current").click()
    notebook.page.keyboard.press("n")
    assert heading.inner_text() != first
    notebook.page.keyboard.press("Shift+N")
    assert heading.inner_text() == first


@pytest.mark.long
def test_an_operator_unfolds_in_the_live_view(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook("unfolds.ipynb", SETUP, "%%compile\nz = x.softmax(-1)")
    notebook.run_all()
    view = notebook.widgets().first
    open_tab(view, "decompositions")
    view.locator(".dl-branch", has_text="aten._softmax.default").wait_for()
    view.locator(".dl-branch", has_text="amax = aten.amax.default").wait_for()
    view.get_by_role("button", name="source").first.click()
    view.locator(".dl-rule-text", has_text="def _softmax").wait_for()

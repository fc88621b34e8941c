"""Each view of the page in Chromium: what it shows, and where its buttons and rows lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fixtures.tabs import open_tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.recording import Recording

    from .conftest import Opened

    Make = Callable[[str], Recording]


pytestmark = pytest.mark.browser


def test_an_operator_unfolds_a_level_a_click_down_to_the_chosen_set(
    show: Callable[[str], Opened],
) -> None:
    page = show("decomposed").page
    open_tab(page, "decompositions")
    trees = page.locator(".dl-trees")
    trees.get_by_role("button", name="aten.gelu.default(f32[8, 8])").wait_for()
    assert trees.locator(".dl-branch").count() == 4
    trees.get_by_role("button", name="source").click()
    trees.get_by_text("kAlpha = M_SQRT1_2").wait_for()
    page.get_by_role("button", name="6 prims").click()
    trees.get_by_role("button", name="mul = aten.mul.Tensor(self, 0.5)").click()
    trees.get_by_text("mul = prims.mul.default(self, 0.5)").wait_for()
    trees.get_by_text("its rule raised").wait_for()
    page.get_by_role("button", name="4 core ATen").click()
    assert trees.locator("button.dl-branch").count() == 0
    page.get_by_role("row", name="aten.sum.default").click()
    trees.get_by_text("sum_1").click()
    assert page.locator("[data-tab=graphs][aria-selected=true]").count() == 1


def test_two_boxes_are_asked_about_and_the_answer_stands_below(
    show: Callable[[str], Opened],
) -> None:
    page = show("scheduled").page
    open_tab(page, "fusion")
    page.locator(".dl-fusion-frame").wait_for()
    boxes = page.locator(".dl-canvas .dl-box")
    assert boxes.count() == 5
    boxes.nth(0).click()
    boxes.nth(1).click()
    page.get_by_text("op0 and op1 are fused").wait_for()
    boxes.nth(2).focus()
    page.keyboard.press("Enter")
    page.get_by_text("op1 and op2 are not fused").wait_for()
    page.get_by_text("such a call is never a candidate").wait_for()


def test_pairs_are_filtered_and_memory_shows_its_peak(show: Callable[[str], Opened]) -> None:
    page = show("scheduled").page
    open_tab(page, "fusion")
    page.get_by_role("button", name="Pairs").click()
    page.get_by_role("button", name="refused").click()
    assert page.locator(".dl-row-verdict").count() == 2
    open_tab(page, "memory")
    assert page.locator(".dl-memory-step").count() == 3
    page.get_by_role("button", name="What is alive at the peak").click()
    assert page.locator(".dl-row-life").count() == 4


def test_a_benchmark_kernel_by_kernel_lights_lines_and_leads_to_kernels(
    show: Callable[[str], Opened],
) -> None:
    page = show("measured").page
    open_tab(page, "bench")
    assert page.locator(".dl-verdicts li").nth(2).inner_text().startswith("Compiled is 1.43 times")
    assert page.locator(".dl-ways tbody").count() == 3
    assert page.locator(".dl-ways .dl-strip circle").count() > 12 * 25
    page.get_by_role("button", name="Kernel by kernel").click()
    groups = page.locator(".dl-bench-group")
    assert "costs" in groups.first.inner_text()
    groups.first.hover()
    page.locator(".cm-line.is-lit", has_text="h = up(h)").wait_for()
    groups.first.click()
    page.locator(".cm-line.is-held", has_text="h = up(h)").wait_for()
    page.get_by_role("button", name="compiled, a training step").click()
    assert groups.count() == 8
    page.get_by_role("button", name="warm caches").click()
    page.locator(".dl-bench-group .dl-go", has_text="gelu").first.click()
    page.locator("[data-tab=kernels][aria-selected=true]").wait_for()
    assert page.locator(".dl-kernel-head").get_by_text("µs, ").count() == 1


@pytest.mark.parametrize("width", [360, 560, 1000, 1800])
def test_the_slowest_kernel_and_its_line_stand_above_times_that_are_whole(
    show: Callable[[str], Opened], width: int
) -> None:
    page = show("measured").page
    page.set_viewport_size({"width": width, "height": 600})
    open_tab(page, "kernels")
    told = page.locator(".dl-kernel-told")
    assert "The slowest of 7 kernels takes 118 µs, 32 %" in told.inner_text()
    times = page.locator(".dl-kernel-time")
    times.first.wait_for()
    row = page.locator(".dl-row-kernel", has=page.locator(".is-slowest")).all()
    assert [one.locator(".dl-kernel-title").inner_text() for one in row] == ["linear"]
    assert ", slowest" in (row[0].locator(".is-slowest").text_content() or "")
    assert times.evaluate_all(
        """times => times.every((time) => {
          const box = time.getBoundingClientRect();
          const row = time.closest(".dl-row-kernel").getBoundingClientRect();
          const isIn = box.right <= row.right && box.bottom <= row.bottom;
          return isIn && box.width > 0 && time.scrollWidth <= time.clientWidth + 1;
        })"""
    )
    told.get_by_role("button", name="line 3").click()
    page.locator(".cm-line.is-held").first.wait_for()


def test_a_page_says_that_it_times_no_kernel(show: Callable[[str], Opened]) -> None:
    page = show("scheduled").page
    open_tab(page, "kernels")
    page.get_by_text("Not timed. That takes the living program, and this page has none.").wait_for()
    assert page.get_by_role("button", name="Time the kernels").count() == 0


def test_a_package_is_shown_first_and_its_constants_lead_to_their_nodes(
    show: Callable[[str], Opened],
) -> None:
    opened = show("packaged")
    page = opened.page
    assert opened.tab() == "package"
    page.get_by_text("`torch.export` captured", exact=False).or_(
        page.get_by_text("captured the model by running it")
    ).first.wait_for()
    page.locator(".dl-row-constant", has_text="lin.weight").click()
    page.locator(".dl-row-constant.is-held", has_text="lin.weight").wait_for()
    page.get_by_text("show its C++ wrapper").click()
    assert opened.tab() == "kernels"
    page.get_by_text("AOTInductorModel::run_impl").first.wait_for()
    assert page.locator("[data-tabs~=frames]").count() == 0, "no frames without Dynamo"
    assert show("cut").page.locator("[data-tab=package]").count() == 0


def test_why_it_was_compiled_again_and_what_pinned_a_size(
    show: Callable[[str], Opened],
) -> None:
    page = show("sizes").page
    open_tab(page, "guards")
    page.get_by_text("was 8, now 16").first.wait_for()
    page.get_by_text("A test in the code tells 8 from all others").first.wait_for()
    page.locator(".dl-mark-specialised").click()
    page.locator("[data-entity='symbol:1'].is-held").wait_for()
    assert page.get_by_role("button", name="Shapes").get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="Guards 2").click()
    page.get_by_role("button", name="Fold all").click()
    page.locator(".dl-row-guard").first.wait_for(state="detached")
    assert page.get_by_label("Arguments of a call").count() == 0  # no kernel, no question


def test_passes_are_stepped_through(show: Callable[[str], Opened]) -> None:
    page = show("rewritten").page
    open_tab(page, "passes")
    heading, lines = page.locator(".dl-pass-heading"), page.locator(".dl-diff .dl-row-diff")
    assert heading.inner_text() == "remove_noop_ops"
    assert lines.count() == 7
    page.get_by_role("button", name="After").click()
    assert "clone" not in "".join(lines.all_inner_texts())
    page.get_by_role("button", name="Next rewrite").click()
    assert heading.inner_text() == "before the post_grad passes"
    page.locator(".dl-diff").press("ArrowRight")
    assert heading.inner_text() == "post_grad.pass_patterns[2]"
    page.get_by_text("the pattern", exact=True).click()
    page.get_by_text("KeywordArg('inp')").wait_for()
    lines.filter(has_text="addmm").first.get_by_role("button").first.click()
    page.locator(".dl-row-node.is-held", has_text="addmm").wait_for()  # in the Graphs tab
    open_tab(page, "passes")
    rows = page.locator(".dl-row-pass")
    few = rows.count()
    page.get_by_label("only passes that did something").uncheck()
    assert rows.count() > few


def test_the_lowering_is_stepped_through(show: Callable[[str], Opened]) -> None:
    page = show("lowered").page
    open_tab(page, "lowering")
    heading, own = page.locator(".dl-pass-heading"), page.locator(".dl-row-loop.is-own")
    assert heading.inner_text() == "mm"
    page.locator(".dl-kernel-list").press("ArrowRight")
    page.get_by_role("button", name="Next operator").click()
    assert heading.inner_text() == "exp"
    assert own.all_inner_texts()[0].startswith("tmp0 = ops.load('buf1', 8*i0 + r0)")
    assert own.count() == 2
    page.get_by_role("button", name="buf3", exact=True).first.click()
    page.locator(".dl-row-loop", has_text="truediv").click()  # pins the node of its line
    page.locator(".dl-row-kernel.is-held", has_text="div").wait_for()
    page.get_by_role("button", name="buffers", exact=True).click()
    page.locator(".dl-row-kernel.is-held", has_text="buf3").click()
    page.get_by_text("for i1 < 8").wait_for()
    page.get_by_role("button", name="overview").click()
    page.get_by_text("reads an element of a buffer").wait_for()
    page.get_by_role("button", name="buf4").click()
    page.get_by_text("leaves this operator").first.wait_for()


def test_the_map_leads_to_breaks_frames_and_graphs(show: Callable[[str], Opened]) -> None:
    opened = show("nested")
    rows = opened.page.locator(".dl-map-row")
    assert rows.count() == 7
    rows.nth(1).locator(".dl-map-go").hover()
    opened.page.locator(".dl-map-row.is-lit", has_text="break 1").wait_for()
    rows.nth(3).locator(".dl-map-go").click()
    opened.page.locator(".dl-card.is-held[data-entity='break:1']").wait_for()
    rows.nth(0).locator(".dl-graph-chip").click()
    assert opened.tab() == "graphs"
    open_tab(opened.page, "breaks")
    rows.nth(2).locator(".dl-map-go").click()
    opened.page.locator(".dl-frame.is-held[data-entity='frame:2']").wait_for()


def test_a_page_says_that_budgets_need_the_living_program(show: Callable[[str], Opened]) -> None:
    page = show("cut").page
    open_tab(page, "autograd")
    page.get_by_role("button", name="Budgets").click()
    page.get_by_text("is asked of the living program, and this page has none").wait_for()
    assert page.get_by_text("Asking PyTorch's partitioner").count() == 0


@pytest.mark.parametrize("width", [370, 600, 1100])
@pytest.mark.parametrize("name", ["nested", "branch_and_print"])
def test_no_word_of_the_map_is_cut(show: Callable[[str], Opened], name: str, width: int) -> None:
    page = show(name).page
    page.set_viewport_size({"width": width, "height": 900})
    names = page.locator(".dl-map-go").all()
    names[0].evaluate("name => name.textContent = 'a_name_as_long_as_people_write'.repeat(3)")
    edge = page.locator(".dl-map").evaluate("map => map.getBoundingClientRect().right")
    for words in [*names, *page.locator(".dl-map-row > *, .dl-map-file").all()]:
        right, lost = words.evaluate(
            "one => [one.getBoundingClientRect().right, one.scrollWidth - one.clientWidth]"
        )
        assert right <= edge
        assert lost <= 0


def test_a_break_that_follows_leads_to_its_cause(show: Callable[[str], Opened]) -> None:
    page = show("nested").page
    open_tab(page, "breaks")
    cards = page.locator(".dl-card")
    assert "followed by\nbreak 1" in cards.first.inner_text()  # the cause comes first
    follows = cards.filter(has_text="It follows from break 2").first
    assert follows.locator(".dl-advice").count() == 0
    follows.locator(".dl-because [data-go='break:1']").click()
    page.locator(".dl-card.is-held[data-entity='break:1']").wait_for()


def test_a_statement_lights_its_line_and_its_instructions(show: Callable[[str], Opened]) -> None:
    page = show("assembled").page
    open_tab(page, "kernels")
    assembly = page.locator(".dl-assembly")
    assert "occupancy 44 %, limited by registers" in assembly.inner_text()
    code = page.locator(".dl-kernel-panes > .dl-code-block")
    code.locator(".cm-line", has_text="tmp1 + 1.0").click(position={"x": 60, "y": 5})
    page.locator(".dl-stop.is-here", has_text="1 statement in line").wait_for()
    page.get_by_role("button", name="Details", exact=True).click()
    page.locator(".dl-selection", has_text="The compiler wrote it for").wait_for()
    assert page.locator(".dl-code .cm-line.is-held").count() > 0
    held = assembly.locator(".cm-line.is-held")
    assert held.all_inner_texts() == ["add.f32 %f2, %f1, 0f3F800000;"]
    assembly.get_by_role("button", name="TTIR").click()
    assembly.locator(".cm-line", has_text="math.erf").wait_for()


def test_a_line_leads_to_its_instructions_and_stays_selected(
    show: Callable[[str], Opened],
) -> None:
    page = show("assembled").page
    page.locator(".dl-code .cm-line[data-entity]").first.click(position={"x": 60, "y": 5})
    line = page.locator(".dl-code .cm-line.is-held").first.inner_text()
    page.locator(".dl-station", has_text="instructions").locator(".dl-stop").first.click()
    page.locator("[data-tab=kernels][aria-selected=true]").wait_for()
    assert page.locator(".dl-assembly .cm-line.is-held").count() > 0
    assert page.locator(".dl-code .cm-line.is-held").first.inner_text() == line


def test_why_not_begins_with_a_pair_that_was_refused(show: Callable[[str], Opened]) -> None:
    page = show("scheduled").page
    open_tab(page, "fusion")
    page.get_by_role("button", name="Why not?").click()
    page.locator(".dl-why-title", has_text="are not fused").wait_for()
    page.locator(".dl-why-choices select").last.select_option("-1")
    page.locator(".dl-why-title").wait_for(state="detached")


def test_modules_open_and_lead_to_their_kernels_and_nodes(show: Callable[[str], Opened]) -> None:
    page = show("blocks").page
    open_tab(page, "modules")
    rows = page.locator(".dl-row-module")
    several = rows.filter(has_text="layers.0 … layers.3")
    assert "\u00d7 4" in several.inner_text()
    several.wait_for()
    assert rows.count() == 5  # repeated blocks are one row
    several.click()
    detail = page.locator(".dl-module-detail")
    detail.get_by_text("differs: it has the module").wait_for()
    page.keyboard.press("ArrowRight")
    blocks = rows.filter(has_text="Block")
    assert blocks.count() == 5
    assert "differs" in blocks.nth(3).inner_text()
    blocks.nth(2).click()
    detail.get_by_text("kernels that it shares with other modules:").wait_for()
    page.get_by_label("The way of what is selected").get_by_text("captured").wait_for()
    detail.locator("[data-go='kernel:2']").click()
    assert page.locator("[data-tab=kernels][aria-selected=true]").count() == 1


def test_a_program_without_modules_is_not_offered_a_tree(show: Callable[[str], Opened]) -> None:
    page = show("branch_and_print").page
    page.locator("[data-tabs~=overview]").first.wait_for()
    assert page.locator("[data-tabs~=modules]").count() == 0


@pytest.mark.parametrize("width", [700, 1000, 1800])
def test_no_cell_of_the_modules_lies_over_another(
    show: Callable[[str], Opened], width: int
) -> None:
    page = show("blocks").page
    page.set_viewport_size({"width": width, "height": 600})
    open_tab(page, "modules")
    page.locator(".dl-row-module").first.wait_for()
    assert page.evaluate(
        """() => [...document.querySelectorAll(".dl-module-row")].every((row) => {
          const boxes = [...row.children].map((one) => one.getBoundingClientRect());
          const shown = boxes.filter((one) => one.width > 0).sort((a, b) => a.left - b.left);
          return shown.every((one, i) => i === 0 || shown[i - 1].right <= one.left + 1);
        })"""
    )

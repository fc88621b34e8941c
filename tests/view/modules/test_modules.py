"""The tree of modules: what repeats is folded, what is fused is counted once, sums agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from dynamo_lab.view import build
from tests.view import samples
from tests.view.modules.blocks import blocks

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.modules.modules import ModuleRow


def _rows(recording: Recording) -> dict[str, ModuleRow]:
    """The rows by path, of several blocks and of functions by name."""
    return {row.path or row.name: row for row in build(recording).modules.rows}


def test_repeated_blocks_share_a_row_that_says_which_of_them_differs() -> None:
    row = _rows(blocks())["layers.0 … layers.3"]
    assert (row.alike, row.type, len(row.children)) == (4, "Block", 4)
    assert row.usual == (0, 1, 3)
    assert row.differences == (
        (
            "`layers.2` differs: it has the module `act (GELU)`; it lacks the module `act (ReLU)`; "
            "1 operator more (gelu); 1 operator fewer (relu)."
        ),
    )
    assert _rows(blocks(other=-1))["layers.0 … layers.3"].differences == ()


def test_another_type_is_said_and_blocks_of_which_none_is_usual_are_not_folded() -> None:
    made = blocks(other=-1)
    table = made.graphs[0].nodes
    half = len(table.values)
    values = tuple(
        half if name in ("lin_1", "relu_1", "add_1") else value
        for name, value in zip(table.name, table.value, strict=True)
    )
    other = replace(table.values[0], dtype="torch.float16")
    table = replace(table, values=(*table.values, other), value=values)
    graphs = (replace(made.graphs[0], nodes=table), made.graphs[1])
    row = _rows(replace(made, graphs=graphs))["layers.0 … layers.3"]
    assert row.differences == (
        "`layers.1` differs: its values are torch.float16 instead of torch.float32.",
    )
    types = table.module_types | {f"layers.{at}": f"Block{at}" for at in range(4)}
    graphs = (replace(made.graphs[0], nodes=replace(table, module_types=types)), made.graphs[1])
    assert all(row.alike == 1 for row in _rows(replace(made, graphs=graphs)).values())


def test_a_kernel_fused_of_two_blocks_is_counted_once_and_shared_by_each() -> None:
    rows = _rows(blocks())
    several = rows["layers.0 … layers.3"]
    assert (several.calls, several.shared, several.kernels) == (3, 0, (2,))
    for path in ("layers.1", "layers.2", "layers.2.act"):
        assert (rows[path].calls, rows[path].shared, rows[path].fused) == (0, 1, (2,))
        assert rows[path].time == "part of 3.0 µs"
    assert (rows["layers.0"].calls, rows["layers.0"].shared) == (1, 0)
    assert rows["layers.0"].seconds == pytest.approx(2e-6)


def test_what_lies_within_adds_up_to_the_times_of_the_bench() -> None:
    recording = blocks()
    view = build(recording)
    for row in view.modules.rows:
        children = [view.modules.rows[at] for at in row.children]
        assert row.operators >= sum(child.operators for child in children)
        assert (row.seconds or 0) >= sum(child.seconds or 0 for child in children) - 1e-12
    [root] = (view.modules.rows[at] for at in view.modules.roots)
    assert root.seconds == pytest.approx(sum(at * 1e-6 for at in range(1, 6)))
    assert root.calls == len(recording.kernels)
    assert root.heat == 1
    assert sum(child.seconds or 0 for at in root.children if (child := view.modules.rows[at])) == (
        pytest.approx(root.seconds)
    )


def test_seconds_of_compiling_are_those_of_the_table_by_module() -> None:
    recording = replace(samples.branch_and_print(), **_graphs(blocks()))
    view = build(recording)
    [table] = (one for one in view.timeline.costs if one.by == "module")
    told = {row.name.partition(" ")[0]: row.seconds for row in table.rows}
    rows = {row.path: row for row in view.modules.rows}
    assert rows["layers.0.lin"].compile == pytest.approx(told["layers.0.lin"])
    assert rows["layers.0"].compile == pytest.approx(
        sum(seconds for name, seconds in told.items() if name.startswith("layers.0"))
    )


def _graphs(recording: Recording) -> dict[str, Any]:
    """A recording's facts for another, whose phases of compiling it then has."""
    names = ("sources", "spans", "stacks", "frames", "graphs", "links", "kernels", "breaks")
    gone = ("guards", "recompiles", "symbols", "wrappers", "notes", "partitions", "assemblies")
    more = ("buffers", "lowerings", "schedules", "memory_plans", "passes", "pipelines")
    return {name: getattr(recording, name) for name in names} | {
        name: () for name in (*gone, *more) if hasattr(recording, name)
    }


def test_what_was_not_measured_is_unknown_and_not_zero() -> None:
    rows = _rows(blocks(timed=False)).values()
    assert {(row.seconds, row.time, row.bytes) for row in rows} == {(None, "", None)}
    sentences = " ".join(build(blocks(timed=False)).modules.sentences)
    assert "No kernel was timed" in sentences


def test_a_module_that_two_lines_call_is_one_row_with_both() -> None:
    row = _rows(blocks())["shared"]
    assert (row.operators, row.calls, row.where) == (2, 2, "lines 7, 10")
    assert _rows(blocks())["layers.1"].where == "line 9"
    assert _rows(blocks())["layers.1.lin"].where == "line 3"


def test_a_break_is_of_the_module_that_the_call_names() -> None:
    rows = _rows(blocks())
    assert {path: row.breaks for path, row in rows.items() if row.breaks} == {
        "Net.forward": 1,
        "tail": 1,
    }


def test_a_call_that_names_no_module_leaves_the_break_with_the_function() -> None:
    made = blocks()
    spans = (*made.spans[:5], replace(made.spans[5], column=-1), *made.spans[6:])
    rows = _rows(replace(made, spans=spans))
    assert {path: row.breaks for path, row in rows.items() if row.breaks} == {"Net.forward": 1}


def test_a_program_without_modules_has_no_tree() -> None:
    found = build(samples.branch_and_print()).modules
    assert found.rows == ()
    assert found.empty == "The captured graphs call no `nn.Module`."


def test_each_row_leads_to_its_nodes() -> None:
    view = build(blocks())
    for row in view.modules.rows:
        for entity in row.entity.split():
            kind, graph, box = entity.split(":")
            assert kind == "module"
            path = view.graphs[int(graph)].modules[int(box)].path
            assert row.path == path or row.alike > 1

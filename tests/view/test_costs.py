"""Seconds of compiling by line and more: the parts and the rest make up the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from dynamo_lab.model.lowering import Lowered, Lowering
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import CacheCheck, Timing
from dynamo_lab.view import build
from dynamo_lab.view.timings.caches import why_another_key
from tests.view import samples

if TYPE_CHECKING:
    from dynamo_lab.view.timings.costs import CostTable


def _recording() -> Recording:
    made = samples.branch_and_print()
    traced = tuple(0.01 for _ in range(len(made.graphs[0].nodes)))
    graphs = (replace(made.graphs[0], traced=traced), *made.graphs[1:])
    written, built = replace(made.kernels[0], written_in=0.2, built_in=0.3), made.kernels[1]
    lowering = Lowering(graph=5, nodes=(Lowered(node=1, outcome="inlined", seconds=0.05),))
    wait = Timing("async_compile.wait", 0.4, 0.15, 2, "0/0")
    return replace(
        made,
        graphs=graphs,
        kernels=(written, replace(built, built_in=0.0)),
        lowerings=(lowering,),
        timings=(*made.timings, wait),
    )


def _tables(recording: Recording) -> dict[str, CostTable]:
    return {table.by: table for table in build(recording).timeline.costs}


@pytest.mark.parametrize("by", ["line", "function", "operator", "kernel"])
def test_rows_and_the_rest_make_up_the_whole(by: str) -> None:
    recording = _recording()
    table = _tables(recording)[by]
    told = sum(row.seconds for row in table.rows)
    assert told + table.others + table.rest == pytest.approx(build(recording).timeline.seconds)
    assert sum(row.share for row in table.rows) <= 1


def test_what_was_waited_is_shared_by_how_long_kernels_took_to_build() -> None:
    kernels = _tables(_recording())["kernel"]
    [row] = kernels.rows
    assert (row.name, row.entity) == ("cpp_fused_add_gelu_0", "kernel:0")
    assert row.code == pytest.approx(0.2)
    assert row.building == pytest.approx(0.15)  # waited, while the process took twice as long
    assert row.count == 5
    [process] = [row for row in _tables(_recording())["compiler process"].rows if row.seconds]
    assert process.seconds == pytest.approx(0.3)


def test_lines_link_to_the_source() -> None:
    lines = _tables(_recording())["line"]
    assert all(row.entity.startswith("line:") for row in lines.rows)
    assert lines.rows[0].seconds == max(row.seconds for row in lines.rows)


def test_what_resumes_after_a_break_is_called_so() -> None:
    made = _recording()
    spans = tuple(replace(one, function="torch_dynamo_resume_in_f_at_7") for one in made.spans)
    rows = _tables(replace(made, spans=spans))["function"].rows
    assert {row.name.partition(" (")[0] for row in rows} == {"f after line 7"}


def test_without_times_there_is_no_table() -> None:
    assert build(Recording(title="nothing")).timeline.costs == ()


def _keyed(*parts: tuple[tuple[str, str], ...]) -> Recording:
    checks = (CacheCheck(layer="FX graph cache", outcome="kept", parts=part) for part in parts)
    return replace(samples.branch_and_print(), caches=tuple(checks))


def test_the_part_of_a_key_that_differs_is_named() -> None:
    before = _keyed((("gm", "a"), ("inductor_config[max_autotune]", "b")))
    assert why_another_key(before, before) == ""
    after = _keyed((("gm", "a"), ("inductor_config[max_autotune]", "c")))
    assert why_another_key(before, after) == (
        "1 of 1 graphs would not be found in the FX graph cache after the first: "
        "a setting of Inductor (max_autotune) differs."
    )


def test_later_keys_are_told_by_what_differs_from_the_first() -> None:
    before = _keyed((("gm", "a"), ("torch_version", "t")), (("gm", "b"),))
    assert why_another_key(before, _keyed((("gm", "b"), ("torch_version", "t")))) == ""
    other = _keyed((("gm", "b"), ("torch_version", "u")))
    assert "the release of PyTorch" in why_another_key(before, other)


def test_without_keys_nothing_is_said() -> None:
    assert why_another_key(samples.branch_and_print(), _keyed((("gm", "a"),))) == ""

"""What changed between two recordings, and what did not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from dynamo_lab.api.diff import BreakFact, Change, KernelFact, diff

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording

replace = msgspec.structs.replace


def unbroken(sample: Recording) -> Recording:
    """`sample` after the branch was removed: no break, one more operator in another kernel."""
    nodes = replace(
        sample.graphs[1].nodes,
        strings=(*sample.graphs[1].nodes.strings[:6], "aten.mul.Tensor"),
        name=("arg0_1", "relu", "add", "mul", "output"),
        op=(0, 1, 1, 1, 2),
        target=(3, 4, 5, 6, 6),
        arguments=("", "", "", "", ""),
        inputs=((), (0,), (1,), (2,), (3,)),
        value=(0, 0, 0, 0, 1),
        stack=(-1, 0, 0, 0, -1),
        module=(6, 6, 6, 6, 6),
        subgraphs={},
    )
    kernel = replace(sample.kernels[0], name="cpp_fused_add_mul_relu_0", nodes=(1, 2, 3))
    return replace(
        sample,
        title="cell 4",
        breaks=(),
        recompiles=(),
        graphs=(sample.graphs[0], replace(sample.graphs[1], nodes=nodes)),
        kernels=(kernel,),
        timings=(replace(sample.timings[0], seconds=0.75),),
    )


def test_a_recording_does_not_differ_from_itself(sample: Recording) -> None:
    same = diff(sample, sample)
    assert not same.differs
    assert "Nothing differs." in str(same)
    assert all(change.a == change.b for change in same.counts)
    assert (same.breaks_a, same.breaks_b, same.kernels_a, same.kernels_b) == ((), (), (), ())
    assert same.operators == ()


def test_as_the_last_expression_of_a_cell_it_reads_as_it_prints(sample: Recording) -> None:
    found = diff(sample, unbroken(sample))
    assert repr(found) == str(found)


def test_counts(sample: Recording) -> None:
    counts = {change.name: (change.a, change.b) for change in diff(sample, unbroken(sample)).counts}
    assert counts == {
        "frames": (2, 2),
        "graphs": (1, 1),
        "breaks": (1, 0),
        "guards": (1, 1),
        "recompiles": (1, 0),
        "operators": (2, 2),
        "kernels": (1, 1),
        "bytes kept": (32, 32),
        "run again": (1, 1),
        "compile seconds": (1.5, 0.75),
    }


def test_what_only_one_has(sample: Recording) -> None:
    changes = diff(sample, unbroken(sample))
    assert changes.breaks_a == (
        BreakFact(
            where="cell 3, line 3",
            text="if y.sum() > 0:",
            gb_type="Data-dependent branching",
            registry_id="GB0170",
        ),
    )
    assert changes.breaks_b == ()
    relu_add = ("aten.relu.default", "aten.add.Tensor")
    assert changes.kernels_a == (
        KernelFact(name="cpp_fused_add_relu_0", language="cpp", operators=relu_add),
    )
    assert changes.kernels_b[0].operators == (*relu_add, "aten.mul.Tensor")
    assert changes.operators == (Change("aten.mul.Tensor", 0, 1),)
    assert changes.stage == "post_grad"


def test_other_conditions_are_told(sample: Recording) -> None:
    assert diff(sample, sample).conditions == ()
    known = replace(sample.environment, torch="2.12.0", processor="one", platform="Linux")
    later = replace(known, torch="2.13.0", processor="other", accelerators=("H100",))
    changes = diff(replace(sample, environment=known), replace(sample, environment=later))
    assert changes.conditions == (
        "PyTorch: 2.12.0, then 2.13.0",
        "processor: one, then other",
        "GPU: none, then H100",
    )
    assert "made under other conditions:\n  PyTorch: 2.12.0" in str(changes)
    unknown = diff(replace(sample, environment=replace(known, torch="")), sample)
    assert not any("PyTorch" in text for text in unknown.conditions)


def test_other_types_of_inputs_are_other_conditions(sample: Recording) -> None:
    def reading(dtype: str) -> Recording:
        graph = sample.graphs[0]
        values = tuple(replace(value, dtype=dtype) for value in graph.nodes.values)
        changed = replace(graph, nodes=replace(graph.nodes, values=values))
        return replace(sample, graphs=(changed, *sample.graphs[1:]))

    found = diff(reading("float32"), reading("float16"))
    assert found.conditions == ("dtypes of the inputs: float32, then float16",)
    assert found.differs


def test_what_is_usual_is_no_other_condition_than_what_nobody_asked_for(sample: Recording) -> None:
    def asked(**options: str) -> Recording:
        return replace(sample, environment=replace(sample.environment, options=options))

    assert diff(asked(backend="inductor", fullgraph="False"), asked()).conditions == ()
    assert diff(asked(backend="eager"), asked()).conditions == ("backend: eager, then not set",)


def test_a_cause_comes_before_the_breaks_that_follow_from_it(make: Any) -> None:
    broken = make("nested")
    found = diff(broken, replace(broken, breaks=(), frames=(), graphs=(), partitions=()))
    assert [(one.where, one.text) for one in found.breaks_a] == [
        ("cell 1, line 2", "print(x.sum())"),
        ("cell 1, line 5", "y = helper(x.sin())"),
    ]
    assert str(found).index("print(x.sum())") < str(found).index("y = helper")


def test_seconds_of_one_run_each_are_no_difference(sample: Recording) -> None:
    slower = replace(sample, timings=(replace(sample.timings[0], seconds=90.0),))
    found = diff(sample, slower)
    assert not found.differs
    assert "Nothing differs." in str(found)
    [row] = [line for line in str(found).split("\n") if line.startswith("compile seconds")]
    assert row.split() == ["compile", "seconds", "1.50", "90.00"]


def test_a_break_on_a_line_that_moved_is_no_change(sample: Recording) -> None:
    source = sample.sources[0]
    moved = replace(
        sample,
        sources=(replace(source, excerpts=(replace(source.excerpts[0], first_line=11),)),),
        spans=tuple(replace(span, line=span.line + 10) for span in sample.spans),
    )
    assert diff(sample, moved).breaks_a == diff(sample, moved).breaks_b == ()


def test_a_second_break_on_one_line_is_a_change(sample: Recording) -> None:
    twice = replace(sample, breaks=(sample.breaks[0], replace(sample.breaks[0], id=1)))
    assert len(diff(sample, twice).breaks_b) == 1


def test_a_kernel_with_another_number_is_no_change(sample: Recording) -> None:
    renumbered = replace(
        sample, kernels=(replace(sample.kernels[0], name="cpp_fused_add_relu_12"),)
    )
    assert diff(sample, renumbered).kernels_b == ()


def test_extern_kernels_are_compared_call_by_call(sample: Recording) -> None:
    def calling(times: int, nodes: tuple[int, ...]) -> Recording:
        facts = {"name": "extern_kernels.mm", "language": "extern", "calls": times}
        return replace(sample, kernels=(replace(sample.kernels[0], nodes=nodes, **facts),))

    same = diff(calling(2, (1,)), calling(2, (1, 2)))
    assert (same.kernels_a, same.kernels_b) == ((), ())
    more = diff(calling(2, (1,)), calling(3, (1, 2)))
    assert more.kernels_a == ()
    assert [kernel.name for kernel in more.kernels_b] == ["extern_kernels.mm"]


def test_without_a_common_stage_there_are_no_operators(sample: Recording) -> None:
    captured = replace(
        sample, graphs=sample.graphs[:1], partitions=(), kernels=(), wrappers=(), links=()
    )
    assert diff(sample, captured).stage == "dynamo"
    assert diff(sample, replace(captured, graphs=())).operators == ()


def test_as_text(sample: Recording) -> None:
    assert (
        str(diff(sample, unbroken(sample)))
        == """\
a: cell 3
b: cell 4

                    a     b  change
frames              2     2       =
graphs              1     1       =
breaks              1     0      -1
guards              1     1       =
recompiles          1     0      -1
operators           2     2       =
kernels             1     1       =
bytes kept         32    32       =
run again           1     1       =
compile seconds  1.50  0.75
Compile seconds are of one run each: they are not compared.

breaks only in a:
  cell 3, line 3  if y.sum() > 0:  Data-dependent branching (GB0170)

kernels only in a:
  cpp_fused_add_relu_0  cpp  aten.relu.default, aten.add.Tensor

kernels only in b:
  cpp_fused_add_mul_relu_0  cpp  aten.relu.default, aten.add.Tensor, aten.mul.Tensor

operators (post_grad)  a  b
aten.mul.Tensor        0  1  +1"""
    )


def test_what_is_no_recording(sample: Recording) -> None:
    other: Any = 5
    for pair in ((sample, other), (other, sample)):
        with pytest.raises(
            TypeError, match=r"diff\(\) takes recordings, not int: pass what explore"
        ):
            diff(*pair)


def test_hostile_text_stays_text(sample: Recording) -> None:
    hostile = replace(sample, title="\x1b]0;x\x07\u202e</script>\n")
    assert r"\x1b]0;x\x07\u202e</script>\n" in str(diff(hostile, sample))


def test_it_tells_what_became_of_the_kernels(sample: Recording) -> None:
    with_code = replace(sample, kernels=(replace(sample.kernels[0], code="a\nb\nc"),))
    after = replace(
        sample,
        kernels=(
            replace(sample.kernels[0], name="cpp_fused_relu_0", nodes=(1,), code="a"),
            replace(sample.kernels[0], id=1, name="cpp_fused_add_1", nodes=(2,), code="B\nc"),
        ),
    )
    found = diff(with_code, after)
    [change] = found.became
    assert change.sentence == "1 kernel became 2"
    assert (change.a, change.b) == (
        ("cpp_fused_add_relu_0",),
        ("cpp_fused_relu_0", "cpp_fused_add_1"),
    )
    assert change.code == ("- b", "+ B")
    assert "fused relu + add (cell 3, line 2): 1 kernel became 2" in str(found)


def test_a_long_diff_of_code_is_cut_and_says_so(sample: Recording) -> None:
    codes = ["\n".join(f"{name}{i}" for i in range(40)) for name in "ab"]
    a, b = (replace(sample, kernels=(replace(sample.kernels[0], code=code),)) for code in codes)
    [change] = diff(a, b).became
    assert len(change.code) == 25
    assert change.code[-1] == "\N{HORIZONTAL ELLIPSIS} 56 more lines"


def test_the_same_code_is_the_same_kernel_whatever_it_is_linked_to(sample: Recording) -> None:
    kernel = replace(sample.kernels[0], code="void kernel() {}", language="cpp")
    linked = replace(kernel, nodes=kernel.nodes[:-1])
    found = diff(*(replace(sample, kernels=(one,)) for one in (kernel, linked)))
    assert (found.kernels_a, found.kernels_b) == ((), ())


def test_what_a_log_does_not_know_is_unknown(sample: Recording) -> None:
    log = replace(
        sample,
        graphs=(*sample.graphs, replace(sample.graphs[-1], is_backward=True)),
        partitions=(),
        environment=replace(sample.environment, options={"log": "a.log", "records": "3"}),
    )
    found = diff(sample, log)
    kept = next(change for change in found.counts if change.name == "bytes kept")
    assert (kept.a, kept.b) == (32, None)
    assert re.search(r"bytes kept +32 +unknown", str(found))
    assert not found.conditions

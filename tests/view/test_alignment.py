"""Which kernels of two recordings do the same work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.model.graphs import Graph, NodeTable, Value
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.links import LinkTable
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.sources import Excerpt, Source, Span
from dynamo_lab.view.alignment import Work, align
from dynamo_lab.view.side_by_side import together

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynamo_lab.model.graphs import Stage

CAPTURED = ("torch.relu", "softmax", "view", "sum", "mul")


def graph(id: int, stage: Stage, targets: Sequence[str], backward: bool = False) -> Graph:
    """One node a target, each made on a line of its own."""
    count = len(targets)
    nodes = NodeTable(
        strings=("call_function", "", *targets),
        values=(Value(),),
        name=tuple(f"{target.split('.')[-1]}_{i}" for i, target in enumerate(targets)),
        op=(0,) * count,
        target=tuple(range(2, count + 2)),
        arguments=("",) * count,
        inputs=((),) * count,
        value=(0,) * count,
        stack=tuple(range(count)) if stage == "dynamo" else (-1,) * count,
        module=(1,) * count,
    )
    return Graph(
        id=id, stage=stage, name=stage, compile_id="0/0", nodes=nodes, is_backward=backward
    )


def recording(
    lowered: Sequence[tuple[str, int]], kernels: Mapping[str, Sequence[int]], code: str = ""
) -> Recording:
    """A captured graph, what it became (each with the captured node it came from), and kernels."""
    text = "\n".join(f"x = {name}(x)" for name in CAPTURED)
    return Recording(
        title="f",
        sources=(Source("f.py", "user", (Excerpt(1, text),)),),
        spans=tuple(Span(0, line) for line in range(1, 6)),
        stacks=tuple((i,) for i in range(5)),
        graphs=(
            graph(0, "dynamo", CAPTURED),
            graph(1, "post_grad", [target for target, _ in lowered]),
        ),
        links=(
            LinkTable(
                upstream=0,
                downstream=1,
                reason="traced from",
                pairs=tuple((origin, i) for i, (_, origin) in enumerate(lowered)),
            ),
        ),
        kernels=tuple(
            Kernel(
                id=i, name=name, language="triton", graph=1, wrapper=None, nodes=tuple(nodes),
                code=code.replace("NAME", name),
            )
            for i, (name, nodes) in enumerate(kernels.items())
        ),
    )  # fmt: skip


PLAIN = [("aten.relu", 0), ("aten.exp", 1), ("aten.div", 1), ("aten.sum", 3), ("aten.mul", 4)]
ONLINE = [("aten.relu", 0), ("prims.online", 1), ("aten.sum", 3), ("aten.mul", 4)]


def test_a_recording_is_aligned_with_itself() -> None:
    one = recording(PLAIN, {"a": [0, 1], "b": [2, 3, 4]})
    assert align(one, one) == (Work(a=(0,), b=(0,)), Work(a=(1,), b=(1,)))


def test_two_kernels_become_one() -> None:
    apart = recording(PLAIN, {"a": [0, 1, 2], "b": [3], "c": [4]})
    joined = recording(PLAIN, {"a": [0, 1, 2], "b": [3, 4]})
    assert align(apart, joined) == (Work(a=(0,), b=(0,)), Work(a=(1, 2), b=(1,)))


def test_what_each_computes_for_itself_ties_nothing_together() -> None:
    inlined = recording(PLAIN, {"a": [0, 1, 2], "b": [0, 3], "c": [0, 4]})
    assert [(work.a, work.b) for work in align(inlined, inlined)] == [
        ((0,), (0,)),
        ((1,), (1,)),
        ((2,), (2,)),
    ]


def test_a_kernel_for_what_others_inline_has_no_partner_but_homes() -> None:
    inlined = recording(PLAIN, {"a": [0, 1, 2], "b": [0, 3], "c": [4]})
    realised = recording(PLAIN, {"r": [0], "a": [1, 2], "b": [3], "c": [4]})
    works = align(inlined, realised)
    assert [(work.a, work.b) for work in works] == [
        ((0,), (1,)),
        ((1,), (2,)),
        ((2,), (3,)),
        ((), (0,)),
    ]
    assert works[-1].inside == (0, 1)


def test_where_the_nodes_differ_what_was_captured_ties_them() -> None:
    plain = recording(PLAIN, {"a": [0], "b": [1, 2], "c": [3, 4]})
    online = recording(ONLINE, {"a": [0], "b": [1], "c": [2, 3]})
    assert [(work.a, work.b) for work in align(plain, online)] == [
        ((0,), (0,)),
        ((1,), (1,)),
        ((2,), (2,)),
    ]


def test_a_view_ties_nothing_together() -> None:
    viewed = [*ONLINE, ("aten.view", 2)]
    apart = recording(viewed, {"a": [0, 1, 4], "b": [2, 3]})
    other = recording(viewed, {"a": [0, 1], "b": [2, 3, 4]})
    assert align(apart, other) == (Work(a=(0,), b=(0,)), Work(a=(1,), b=(1,)))


def test_nothing_is_aligned_with_nothing() -> None:
    empty = Recording(title="f")
    one = recording(PLAIN, {"a": [0]})
    assert align(empty, empty) == ()
    assert align(one, empty) == (Work(a=(0,)),)
    assert align(empty, one) == (Work(b=(0,)),)


CODE = "def NAME(p):\n    tmp0 = load(p)\n    tmp1 = tmp0 + 1\n    store(p, tmp1)\n"


def test_the_pair_is_told_in_words() -> None:
    apart = recording(PLAIN, {"triton_a_0": [0, 1, 2], "triton_b_1": [3], "triton_c_2": [4]}, CODE)
    joined = recording(PLAIN, {"triton_a_0": [0, 1, 2], "triton_bc_1": [3, 4]}, CODE)
    [pair] = together({"apart": apart, "joined": joined}).pairs
    assert (pair.a, pair.b) == ("apart", "joined")
    assert pair.facts == (
        "2 kernels became 1",
        "1 kernel the same",
        "12 \N{RIGHTWARDS ARROW} 8 lines of code",
    )
    assert [work.sentence for work in pair.works] == ["the same", "2 kernels became 1"]
    assert [work.title for work in pair.works] == ["fused relu + softmax", "sum"]
    assert {edit.sign for edit in pair.works[1].edits} >= {"="}


def test_the_counter_in_a_kernels_name_is_no_change() -> None:
    first = recording(PLAIN, {"triton_a_0": [0]}, CODE)
    second = recording(PLAIN, {"triton_a_3": [0]}, CODE)
    [pair] = together({"first": first, "second": second}).pairs
    assert [work.same for work in pair.works] == [True]


def test_your_lines_stand_beside_the_kernels_of_each() -> None:
    apart = recording(PLAIN, {"a": [0, 1, 2], "b": [3], "c": [4]})
    joined = recording(PLAIN, {"a": [0, 1, 2], "b": [3, 4]})
    rows = together({"apart": apart, "joined": joined}).lines
    assert [(row.text, row.kernels) for row in rows] == [
        ("x = torch.relu(x)", (("fused relu + softmax",), ("fused relu + softmax",))),
        ("x = softmax(x)", (("fused relu + softmax",), ("fused relu + softmax",))),
        ("x = sum(x)", (("sum",), ("fused sum + mul",))),
        ("x = mul(x)", (("mul",), ("fused sum + mul",))),
    ]

"""Which kernels of two recordings do the same work."""

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.compare.alignment import Work, align
from dynamo_lab.view.compare.side_by_side import together
from tests.view.samples.targets import CODE, ONLINE, PLAIN, lowered


def test_a_recording_is_aligned_with_itself() -> None:
    one = lowered(PLAIN, {"a": [0, 1], "b": [2, 3, 4]})
    assert align(one, one) == (Work(a=(0,), b=(0,)), Work(a=(1,), b=(1,)))


def test_two_kernels_become_one() -> None:
    apart = lowered(PLAIN, {"a": [0, 1, 2], "b": [3], "c": [4]})
    joined = lowered(PLAIN, {"a": [0, 1, 2], "b": [3, 4]})
    assert align(apart, joined) == (Work(a=(0,), b=(0,)), Work(a=(1, 2), b=(1,)))


def test_what_each_computes_for_itself_ties_nothing_together() -> None:
    inlined = lowered(PLAIN, {"a": [0, 1, 2], "b": [0, 3], "c": [0, 4]})
    assert [(work.a, work.b) for work in align(inlined, inlined)] == [
        ((0,), (0,)),
        ((1,), (1,)),
        ((2,), (2,)),
    ]


def test_a_kernel_for_what_others_inline_has_no_partner_but_homes() -> None:
    inlined = lowered(PLAIN, {"a": [0, 1, 2], "b": [0, 3], "c": [4]})
    realised = lowered(PLAIN, {"r": [0], "a": [1, 2], "b": [3], "c": [4]})
    works = align(inlined, realised)
    assert [(work.a, work.b) for work in works] == [
        ((0,), (1,)),
        ((1,), (2,)),
        ((2,), (3,)),
        ((), (0,)),
    ]
    assert works[-1].inside == (0, 1)


def test_where_the_nodes_differ_what_was_captured_ties_them() -> None:
    plain = lowered(PLAIN, {"a": [0], "b": [1, 2], "c": [3, 4]})
    online = lowered(ONLINE, {"a": [0], "b": [1], "c": [2, 3]})
    assert [(work.a, work.b) for work in align(plain, online)] == [
        ((0,), (0,)),
        ((1,), (1,)),
        ((2,), (2,)),
    ]


def test_a_view_ties_nothing_together() -> None:
    viewed = [*ONLINE, ("aten.view", 2)]
    apart = lowered(viewed, {"a": [0, 1, 4], "b": [2, 3]})
    other = lowered(viewed, {"a": [0, 1], "b": [2, 3, 4]})
    assert align(apart, other) == (Work(a=(0,), b=(0,)), Work(a=(1,), b=(1,)))


def test_nothing_is_aligned_with_nothing() -> None:
    empty = Recording(title="f")
    one = lowered(PLAIN, {"a": [0]})
    assert align(empty, empty) == ()
    assert align(one, empty) == (Work(a=(0,)),)
    assert align(empty, one) == (Work(b=(0,)),)


def test_the_pair_is_told_in_words() -> None:
    apart = lowered(PLAIN, {"triton_a_0": [0, 1, 2], "triton_b_1": [3], "triton_c_2": [4]}, CODE)
    joined = lowered(PLAIN, {"triton_a_0": [0, 1, 2], "triton_bc_1": [3, 4]}, CODE)
    [pair] = together({"apart": apart, "joined": joined}).pairs
    assert (pair.a, pair.b) == ("apart", "joined")
    assert pair.facts == (
        "2 kernels became 1",
        "1 kernel unchanged",
        "12 \N{RIGHTWARDS ARROW} 8 lines of code",
    )
    assert [work.sentence for work in pair.works] == ["the same", "2 kernels became 1"]
    assert [work.title for work in pair.works] == ["fused relu + softmax", "sum"]
    assert {edit.sign for edit in pair.works[1].edits} >= {"="}


def test_the_counter_in_a_kernels_name_is_no_change() -> None:
    first = lowered(PLAIN, {"triton_a_0": [0]}, CODE)
    second = lowered(PLAIN, {"triton_a_3": [0]}, CODE)
    [pair] = together({"first": first, "second": second}).pairs
    assert [work.same for work in pair.works] == [True]


def test_your_lines_stand_beside_the_kernels_of_each() -> None:
    apart = lowered(PLAIN, {"a": [0, 1, 2], "b": [3], "c": [4]})
    joined = lowered(PLAIN, {"a": [0, 1, 2], "b": [3, 4]})
    rows = together({"apart": apart, "joined": joined}).lines
    assert [(row.text, row.kernels) for row in rows] == [
        ("x = torch.relu(x)", (("fused relu + softmax",), ("fused relu + softmax",))),
        ("x = softmax(x)", (("fused relu + softmax",), ("fused relu + softmax",))),
        ("x = sum(x)", (("sum",), ("fused sum + mul",))),
        ("x = mul(x)", (("mul",), ("fused sum + mul",))),
    ]

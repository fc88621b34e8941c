"""Statements of a kernel, found in its text alone."""

from dynamo_lab.capture.kernels.statement_lines import Attributed, attributed

LOOPS = """\
extern "C" void kernel(const float* in_ptr0,
                       float* out_ptr0)
{
    {
        for(int64_t x0=0; x0<8; x0+=1)
        {
            float tmp_acc0 = 0;
            auto tmp0 = in_ptr0[x0];
            tmp_acc0 = tmp_acc0 + tmp0;
        }
    }
    {
        for(int64_t x0=0; x0<8; x0+=1)
        {
            float tmp_acc0 = 0;
            auto tmp0 = in_ptr0[x0];
            tmp_acc0 = tmp_acc0 + tmp0;
            int unread = 3;
        }
    }
}"""

HELPER = """\
@triton.jit
def _helper_add(a, b):
    tmp0 = a + b
    return tmp0
@triton_heuristics.pointwise(
    size_hints={'x': 8},
)
@triton.jit
def kernel(
    in_ptr0,
    xnumel,
):
    xnumel = 8
    rnumel = 1
    xindex = tl.arange(0, 8)
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + xindex, xmask)
    tmp1 = tl.associative_scan((tmp0,), 0, _helper_add)"""


def by_text(code: str, found: list[Attributed]) -> dict[str, object]:
    lines = code.split("\n")
    return {lines[line - 1].strip(): (nodes, origin) for line, nodes, origin in found}


def test_what_serves_a_loop_does_not_serve_the_next_one_with_the_same_names() -> None:
    lines = LOOPS.split("\n")
    stamped: list[tuple[str, ...]] = [()] * len(lines)
    for number, line in enumerate(lines):
        if "in_ptr0[x0]" in line or "= tmp_acc0 +" in line:
            stamped[number] = ("sum_1",) if number < 11 else ("sum_2",)
    found = attributed(LOOPS, "cpp", [], stamped)
    assert [(line, nodes) for line, nodes, origin in found if origin == "serves"] == [
        (5, ("sum_1",)),
        (7, ("sum_1",)),
        (13, ("sum_2",)),
        (15, ("sum_2",)),
    ]
    assert [nodes for _, nodes, origin in found if origin == "emitted"] == [
        ("sum_1",),
        ("sum_1",),
        ("sum_2",),
        ("sum_2",),
    ]
    assert "int unread = 3;" not in by_text(LOOPS, found)


def test_without_stamps_lines_with_the_same_text_are_matched_in_order() -> None:
    emitted = [("auto tmp0 = in_ptr0[x0];", "sum_1"), ("auto tmp0 = in_ptr0[x0];", "sum_2")]
    found = attributed(LOOPS, "cpp", emitted)
    assert [nodes for _, nodes, origin in found if origin == "emitted"] == [("sum_1",), ("sum_2",)]


def test_text_written_more_often_than_it_stands_there_belongs_to_all() -> None:
    emitted = [("auto tmp0 = in_ptr0[x0];", name) for name in ("a", "b", "c")]
    found = attributed(LOOPS, "cpp", emitted)
    assert {nodes for _, nodes, origin in found if origin == "emitted"} == {("a", "b", "c")}


def test_a_helper_serves_its_caller_and_decorators_are_no_statements() -> None:
    emitted = [
        ("tmp0 = tl.load(in_ptr0 + xindex, xmask)", "cumsum"),
        ("tmp1 = tl.associative_scan((tmp0,), 0, _helper_add)", "cumsum"),
    ]
    found = by_text(HELPER, attributed(HELPER, "triton", emitted))
    assert found["tmp0 = a + b"] == (("cumsum",), "serves")
    assert found["xmask = xindex < xnumel"] == (("cumsum",), "serves")
    assert not {"size_hints={'x': 8},", "in_ptr0,", "rnumel = 1"} & set(found)


def test_what_a_template_brings_is_the_templates() -> None:
    emitted = [("tmp1 = tl.associative_scan((tmp0,), 0, _helper_add)", "gelu")]
    found = by_text(HELPER, attributed(HELPER, "triton", emitted, template=["mm"]))
    assert found["xnumel = 8"] == (("mm",), "emitted")
    assert found["tmp1 = tl.associative_scan((tmp0,), 0, _helper_add)"] == (("gelu",), "emitted")

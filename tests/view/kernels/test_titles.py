"""A loop that a library's kernel reads from, or that reads its result, is titled as that."""

from dynamo_lab.model.kernels import Kernel, Language
from dynamo_lab.model.lowering import Buffer
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.links import LinksView
from dynamo_lab.view.kernels.titles import KernelTitles
from tests.view.samples.table import Table, graph

_SIN, _CONVOLUTION, _RELU = 1, 2, 3


def _titles(*rows: tuple[Language, tuple[int, ...], str], backward: bool = False) -> list[str]:
    """Of kernels of these nodes, which make a buffer each and read the one before."""
    table = Table()
    table.input("x")
    for at, name in enumerate(("sin", "convolution", "relu")):
        table.node(name, f"aten.{name}.default", at)
    own = graph(0, table, "post_grad", backward=backward)
    kernels = [
        Kernel(
            id=at,
            name=f"k{at}",
            language=language,
            graph=0,
            wrapper=0,
            nodes=nodes,
            buffers=(made,),
        )
        for at, (language, nodes, made) in enumerate(rows)
    ]
    buffers = [
        Buffer(
            id=at,
            name=made,
            graph=0,
            kind="extern" if language == "extern" else "pointwise",
            form="",
            nodes=nodes,
            reads=(rows[at - 1][2],) if at else ("x",),
        )
        for at, (language, nodes, made) in enumerate(rows)
    ]
    recording = Recording(title="", graphs=(own,), kernels=tuple(kernels), buffers=tuple(buffers))
    titles = KernelTitles(recording, Ancestry(LinksView(stacks=(), graph_links=())))
    return [titles.of(kernel) for kernel in kernels]


def test_copies_before_and_after_are_the_input_and_the_result() -> None:
    copy = (_CONVOLUTION,)
    rows = _titles(("cpp", copy, "a"), ("extern", copy, "b"), ("cpp", copy, "c"))
    assert rows == ["input of convolution", "convolution", "result of convolution"]


def test_what_a_loop_does_itself_says_it_all_before_and_joins_what_comes_after() -> None:
    rows = _titles(
        ("cpp", (_SIN, _CONVOLUTION), "a"),
        ("extern", (_CONVOLUTION,), "b"),
        ("triton", (_CONVOLUTION, _RELU), "c"),
    )
    assert rows == ["sin", "convolution", "fused result of convolution + relu"]


def test_a_template_computes_the_operator_itself() -> None:
    assert _titles(("triton", (_CONVOLUTION, _RELU), "a")) == ["fused convolution + relu"]


def test_where_the_buffers_were_not_recorded_it_is_a_part() -> None:
    rows = _titles(("cpp", (_CONVOLUTION,), "a"), ("cpp", (_SIN,), "b"), ("extern", (2,), "c"))
    assert rows[0] == "part of convolution"


def test_in_the_backward_as_well() -> None:
    copy = (_CONVOLUTION,)
    rows = _titles(("cpp", copy, "a"), ("extern", copy, "b"), backward=True)
    assert rows == ["input of the backward of convolution", "backward of convolution"]

"""Kernels and operators in groups, on a hand-made program of one frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.bench.kernel_groups import groups
from dynamo_lab.model.benchmarks import EagerCall, KernelTime
from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.decompositions import Call, Decompositions, Traced
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.lowering import Buffer
from dynamo_lab.model.passes import GraphChange, NodeText, Pass, Pipeline, Placed
from dynamo_lab.model.recording import Recording
from tests.view.samples.table import Table, graph

if TYPE_CHECKING:
    from dynamo_lab.model.kernels import Language

X, NORM, PRODUCT, ADD, AGAIN = range(5)
"""Nodes of the captured graph."""


def program() -> Recording:
    """`norm` became two nodes, `product` a view and a product, and so on, each traced once."""
    captured = Table()
    x = captured.input("x")
    norm = captured.node("norm", "layer_norm", x)
    product = captured.node("product", "linear", norm)
    added = captured.node("added", "add", product, x)
    captured.output(captured.node("again", "relu", added))
    traced = Table()
    x = traced.input("arg0_1")
    mean = traced.node("mean", "aten.mean.dim", x)
    sub = traced.node("sub", "aten.sub.Tensor", x, mean)
    view = traced.node("view", "aten.view.default", sub)
    mm = traced.node("mm", "aten.mm.default", view)
    added = traced.node("add", "aten.add.Tensor", mm, x)
    traced.output(traced.node("relu", "aten.relu.default", added))
    rows = [
        ("aten.native_layer_norm.default", (mean, sub)),
        ("aten.view.default", (view,)),
        ("aten.mm.default", (mm,)),
        ("aten.add.Tensor", (added,)),
        ("aten.relu.default", (added + 1,)),
    ]
    came = [(NORM, mean), (NORM, sub), (PRODUCT, view), (PRODUCT, mm), (ADD, added)]
    same = tuple((at, at) for at in range(len(traced.rows)))
    return Recording(
        title="program",
        graphs=(graph(0, captured), graph(1, traced, "forward"), graph(2, traced, "post_grad")),
        links=(
            LinkTable(
                upstream=0,
                downstream=1,
                reason="traced from",
                pairs=(*came, (AGAIN, added + 1)),
            ),
            LinkTable(upstream=1, downstream=2, reason="same node", pairs=same),
        ),
        decompositions=Decompositions(
            traced=tuple(Traced(call=i, graph=1, nodes=row[1]) for i, row in enumerate(rows)),
            calls=tuple(Call(operator=operator, arguments="f32[8, 8]") for operator, _ in rows),
        ),
    )


def with_kernels(recording: Recording, *computed: tuple[int, ...], **languages: Language) -> Any:
    """The recording with a kernel for each, that makes a buffer of those nodes; and their times."""
    numbers = range(len(computed))
    made = structs.replace(
        recording,
        buffers=tuple(
            Buffer(id=at, name=f"buf{at}", graph=2, kind="pointwise", form="", nodes=computed[at])
            for at in numbers
        ),
        kernels=tuple(
            Kernel(
                id=at,
                name=f"k{at}",
                language=languages.get(f"k{at}", "cpp"),
                graph=2,
                wrapper=None,
                buffers=(f"buf{at}",),
            )
            for at in numbers
        ),
    )
    return made, [
        KernelTime(kernel=at, way=1, phase="forward", buffers=(f"buf{at}",)) for at in numbers
    ]


def call(operator: str, node: int, *, backward: bool = False) -> EagerCall:
    return EagerCall(
        operator=f"aten.{operator}",
        graph=0,
        node=node,
        is_backward=backward,
        arguments="f32[8, 8]",
    )


NORMED = call("native_layer_norm.default", NORM)
PRODUCTS = [call("view.default", PRODUCT), call("mm.default", PRODUCT)]
REST = [call("add.Tensor", ADD), call("relu.default", AGAIN)]
EAGER = [NORMED, *PRODUCTS, *REST]


def grouped(recording: Recording, times: Any, eager: list[EagerCall]) -> list[Any]:
    return [(group.kernels, group.eager) for group in groups(recording, times, eager)]


def test_an_operator_of_two_kernels_ties_them_and_a_view_goes_with_its_product() -> None:
    recording, times = with_kernels(program(), (1,), (2,), (4,), (5, 6), k2="extern")
    assert grouped(recording, times, EAGER) == [((0, 1), (0,)), ((2,), (1, 2)), ((3,), (3, 4))]


def test_what_two_kernels_compute_belongs_to_the_first_and_a_copy_to_what_it_copies() -> None:
    recording, times = with_kernels(program(), (1, 2), (4,), (5,), (5, 6), (5,), k1="extern")
    assert grouped(recording, times, EAGER) == [
        ((0,), (0,)),
        ((1,), (1, 2)),
        ((2, 4), (3,)),
        ((3,), (4,)),
    ]


def test_a_kernel_that_is_called_for_an_operator_has_it_though_a_loop_prepares_it() -> None:
    recording, times = with_kernels(program(), (2, 4), (4,), k1="extern")
    assert grouped(recording, times, EAGER[:3]) == [((0,), (0,)), ((1,), (1, 2))]


def test_what_is_of_no_node_or_left_nothing_stands_alone() -> None:
    recording, times = with_kernels(program(), (0,), (1, 2))
    eager = [NORMED, PRODUCTS[0], structs.replace(REST[0], graph=None, node=None)]
    assert grouped(recording, times, eager) == [((0,), ()), ((1,), (0,)), ((), (1,)), ((), (2,))]


def test_an_operator_of_another_name_has_what_the_others_of_its_node_leave() -> None:
    recording, times = with_kernels(program(), (2,), (4,), (6,), k1="extern")
    eager = [call("view.default", PRODUCT), call("addmm.default", PRODUCT), call("clamp_", AGAIN)]
    assert grouped(recording, times, eager) == [((0,), ()), ((1,), (0, 1)), ((2,), (2,))]


def test_a_node_that_a_pass_put_for_others_stands_for_them() -> None:
    recording = program()
    table = Table()
    inputs = [table.input(name) for name in ("arg0_1", "mean", "sub", "view")]
    fused = table.node("addmm", "aten.addmm.default", *inputs)
    table.output(fused)
    change = GraphChange(
        removed=("mm", "add"),
        added=(Placed(4, NodeText("addmm", "call_function", "aten.addmm.default", "")),),
    )
    recording = structs.replace(
        recording,
        graphs=(*recording.graphs[:2], graph(2, table, "post_grad")),
        links=recording.links[:1],
        pipelines=(Pipeline(id=0, phase="post_grad", compile_id="0/0", end=1),),
        passes=(Pass(id=0, pipeline=0, name="fuse_addmm", changes=(change,)),),
    )
    recording, times = with_kernels(recording, (fused,), k0="extern")
    assert grouped(recording, times, EAGER[1:4]) == [((0,), (0, 1, 2))]


def test_gradients_of_a_node_are_not_taken_for_its_forward() -> None:
    recording = program()
    tables = [table for table in recording.links if table.upstream]
    forward = structs.replace(recording.links[0], pairs=((ADD, 5),))
    backward = structs.replace(recording.links[0], reason="gradient of", pairs=((ADD, 4), (ADD, 6)))
    recording = structs.replace(recording, links=(forward, backward, *tables))
    recording, times = with_kernels(recording, (4,), (5,), (6,))
    eager = [call("add.Tensor", ADD), call("relu", ADD, backward=True)]
    assert grouped(recording, times, eager) == [((0,), ()), ((1,), (0,)), ((2,), (1,))]

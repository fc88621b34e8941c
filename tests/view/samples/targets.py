"""One program lowered several ways: what was captured, the nodes it became, and kernels of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.graphs import Graph, NodeTable, Value
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.recording import Recording

from .hostile import HOSTILE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynamo_lab.model.graphs import Stage

CAPTURED = ("torch.relu", "softmax", "view", "sum", "mul")


def _graph(id: int, stage: Stage, targets: Sequence[str]) -> Graph:
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
    return Graph(id=id, stage=stage, name=stage, compile_id="0/0", nodes=nodes)


def lowered(
    became: Sequence[tuple[str, int]],
    kernels: Mapping[str, Sequence[int]],
    code: str = "",
    target: str = "",
) -> Recording:
    """A captured graph, what it became (each with the captured node it came from), and kernels."""
    text = "\n".join(f"x = {name}(x)" for name in CAPTURED)
    return Recording(
        title="f",
        target=target,
        sources=(Source("f.py", "user", (Excerpt(1, text),)),),
        spans=tuple(Span(0, line) for line in range(1, 6)),
        stacks=tuple((i,) for i in range(5)),
        graphs=(
            _graph(0, "dynamo", CAPTURED),
            _graph(1, "post_grad", [target for target, _ in became]),
        ),
        links=(
            LinkTable(
                upstream=0,
                downstream=1,
                reason="traced from",
                pairs=tuple((origin, i) for i, (_, origin) in enumerate(became)),
            ),
        ),
        kernels=tuple(
            Kernel(
                id=i, name=name, language="cpp" if name.startswith("cpp") else "triton",
                graph=1, wrapper=None, nodes=tuple(nodes), code=code.replace("NAME", name),
            )
            for i, (name, nodes) in enumerate(kernels.items())
        ),
    )  # fmt: skip


PLAIN = [("aten.relu", 0), ("aten.exp", 1), ("aten.div", 1), ("aten.sum", 3), ("aten.mul", 4)]
ONLINE = [("aten.relu", 0), ("prims.online", 1), ("aten.sum", 3), ("aten.mul", 4)]


CODE = "def NAME(p):\n    tmp0 = load(p)\n    tmp1 = tmp0 + 1\n    store(p, tmp1)\n"


def side_by_side() -> dict[str, Recording]:
    """Two targets, and one of them with another setting."""
    joined = {"triton_a_0": [0, 1], "triton_bc_1": [2, 3]}
    apart = {"triton_a_0": [0, 1], "triton_b_1": [2], "triton_c_2": [3]}
    return {
        "cpu": lowered(PLAIN, {"cpp_all_0": [0, 1, 2, 3, 4]}, "int NAME();", "cpu"),
        "cuda:sm_90": lowered(ONLINE, joined, CODE, "cuda:sm_90"),
        "max_fusion_size=1": lowered(ONLINE, apart, CODE.replace("+ 1", "* 2"), "cuda:sm_90"),
    }


def hostile_side_by_side() -> dict[str, Recording]:
    """Labels, names and code that want to be more than text."""
    evil = " ".join(HOSTILE)
    return {
        evil: lowered(PLAIN, {evil: [0, 1, 2], "b": [3, 4]}, evil, evil),
        "b": lowered(PLAIN, {evil: [0, 1, 2, 3, 4]}, f"{evil}\n{evil}", evil),
    }

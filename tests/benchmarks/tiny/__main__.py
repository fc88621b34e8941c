# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# torch annotates its functions only in part.
"""Peak memory of training steps as planned, beside the figures of the paper that it is after.

`python -m tests.benchmarks.tiny`: networks at 128 x 128 and batch 1. What is updated are the
schemes that the authors published for each network (github.com/mit-han-lab/tiny-training,
compilation/mcu_ir_gen.py, the smallest): the biases of the last convolutions, and of some
pointwise and depthwise weights a share of the input channels, those with the largest weights; the
classifier in each. The figures beside are of Lin et al., NeurIPS 2022: 7 to 9 times less by
sparse update, 2.4 to 3.2 times by reordering, 20 to 21 times together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.render.tables import table
from dynamo_lab.tiny.networks import Transformer, mcunet_like, mobilenet_v2, proxyless_nas
from dynamo_lab.view.core.words import size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamo_lab.tiny.work import Precision


class Scheme(NamedTuple):
    """How many last biases are updated, and which convolutions' weights with their share."""

    biases: int
    weights: dict[int, float]


SCHEMES: dict[str, tuple[Callable[[], nn.Module], Scheme]] = {
    "MobileNetV2 0.35": (
        mobilenet_v2,
        Scheme(16, {36: 1, 39: 1, 41: 0.25, 42: 0.125, 45: 0.125, 48: 0.125, 49: 0.125}),
    ),
    "ProxylessNAS 0.3": (
        proxyless_nas,
        Scheme(21, {39: 0.25, 42: 1, 45: 1, 51: 0.125, 54: 0.25, 57: 0.25}),
    ),
    "like MCUNet-5fps": (mcunet_like, Scheme(20, {24: 0.25, 27: 0.5, 30: 0.5})),
}


def update_of(model: nn.Module, scheme: Scheme) -> dict[str, Any]:
    """A scheme as `lab.tiny` takes it."""
    modules: list[tuple[str, nn.Module]] = list(model.named_modules())
    names = [name for name, module in modules if isinstance(module, nn.Conv2d)]
    found: dict[str, Any] = {f"{name}.bias": "all" for name in names[-scheme.biases :]}
    for number, share in scheme.weights.items():
        found[f"{names[number]}.weight"] = "all" if share == 1 else share
    return {**found, "head.*": "all"}


def row(
    name: str, model: nn.Module, sample: tuple[Any, ...], update: Any, precision: Precision
) -> tuple[str, ...]:
    """The four figures of a plan, their ratios, and what inference alone needs."""
    options: dict[str, Any] = {"memory": None, "precision": precision, "channels": "largest"}
    plan = lab.tiny(model, sample, update=update, **options)
    least = lab.tiny(model, sample, update="head.bias", **options)
    full, sparse, ordered = (bar.bytes for bar in plan.facts.bars)
    return (
        name,
        precision,
        size(full),
        size(sparse),
        size(ordered),
        f"{full / sparse:.1f}",
        f"{sparse / ordered:.2f}",
        f"{full / ordered:.1f}",
        size(plan.facts.bytes),
        size(least.facts.alive),
        size(plan.facts.frozen),
        "best" if plan.facts.order_bound >= plan.facts.alive else "unknown",
    )


def rows() -> Iterator[tuple[str, ...]]:
    torch.manual_seed(0)
    sample = torch.randn(1, 3, 128, 128), torch.tensor([1])
    precisions: tuple[Precision, ...] = ("int8", "mixed", "float32")
    for name, (make, scheme) in SCHEMES.items():
        model = make()
        for precision in precisions:
            yield row(name, model, sample, update_of(model, scheme), precision)
    tokens = torch.randn(1, 16, 8), torch.tensor([1])
    update = {"*.bias": "all", "blocks.1.*.weight": "all", "head.*": "all"}
    for precision in precisions:
        yield row("transformer", Transformer(), tokens, update, precision)
    yield ("the paper", "int8", "", "", "", "7 to 9", "2.4 to 3.2", "20 to 21", "", "", "", "")


HEAD = (
    *("network", "counted", "full", "sparse", "reordered", "sparse x", "reordered x", "both x"),
    *("with arena", "forward alone", "read only", "order"),
)


def main() -> None:
    print("\n".join(table([HEAD, *rows()])))


if __name__ == "__main__":
    main()

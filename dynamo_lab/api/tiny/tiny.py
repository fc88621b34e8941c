"""Training in little memory: plan a model's training step ahead of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch
    from torch import nn

    from dynamo_lab.api.tiny.plan import Plan
    from dynamo_lab.tiny.work import Precision


def tiny(
    model: nn.Module,
    example: Sequence[torch.Tensor],
    *,
    loss: Callable[..., Any] | None = None,
    optimizer: Any = "sgd",
    memory: str | int | None = "256 kB",
    update: Any = "all",
    channels: str = "first",
    precision: Precision = "float32",
    dtype: Literal["float32", "int8"] = "float32",
    calibrate: Sequence[Sequence[torch.Tensor]] | None = None,
    scaling: Any = True,
    headroom: float = 2.0,
    search: Mapping[str, Any] | None = None,
) -> Plan:
    """Plan a training step that fits a memory limit; `plan.step(x, y)` runs it in PyTorch.

    The joint graph of forward, loss and backward is made ahead of time and rewritten: gradients
    that are not wanted go, a parameter changes as soon as its gradient is complete, operations are
    put into the order that needs the least memory, and each value gets a place in one arena. The
    method is that of Lin et al., "On-Device Training Under 256KB Memory", NeurIPS 2022, section 3.

    Args:
        model: Any model that `torch.export` captures whole. Statistics of BatchNorm must be
            frozen: call `model.eval()`.
        example: The model's inputs and the target, as `(x, y)`: the step is planned for their
            shapes.
        loss: A function of the model's output and the target; by default the cross entropy.
        optimizer: "sgd", or its settings as {"lr": 0.1, "momentum": 0.9, "weight_decay": 1e-4}.
        memory: The limit, as "256 kB" (256,000 bytes), "256 KiB" or a number of bytes, on the
            arena and all parameters that are updated; None for no limit.
        update: What is updated: "all", "bias", "last 2" (layers with parameters), names or
            patterns as ["head.*", "*.bias"], or a mapping of them to input channels, as
            {"head.weight": "all", "blocks.*.weight": 0.25}: a share, a number or a list. "search"
            looks for what gains most within the limit: see `search`.
        channels: Where fewer than all input channels are asked for, which: the "first" ones, or
            those with the "largest" weights.
        precision: How the bytes of a float32 step are counted: "float32", "int8" for what a
            quantized step would need, or "mixed" for int8 with gradients in float32.
        dtype: What the step computes in. "int8": weights (a scale for each output channel),
            activations and gradients of eight bits, sums of 32; plain SGD on the integers
            themselves, whose small steps are rounded up or down by chance. The model's parameters
            follow them, and `plan.predict` answers in int8.
        calibrate: In int8, samples like the example, `[(x, y), ...]`: activations have the ranges
            that these have. By default the example alone.
        scaling: In int8, whether gradients are divided by the square of their parameter's scale
            (quantization-aware scaling, section 2.1 of the paper); without, each channel learns
            at a speed of its own. Names or patterns scale those parameters alone.
        headroom: In int8, how many times its largest weight a trained weight can become.
        search: For update="search", what gains are measured with and how long is searched, as
            {"data": [(x, y), ...], "state": "search.json"}. Of each layer and ratio the gain in
            accuracy is measured by training a copy on `data`, then an evolutionary search looks for
            the largest sum within the limit (section 2.2 of the paper). "check" are samples to
            measure on (by default the last quarter of `data`), "epochs" and "lr" say how each copy
            is trained, "ratios" which shares of channels are tried, "population", "generations" and
            "seed" how is searched. Without data the gain is a proxy, the squared norm of the
            gradient on the example. Ctrl-C keeps the best so far; a "state" file is continued.

    Raises:
        OptionError: an argument is not one of these.
        TinyError: the step is no single graph, its loss is no scalar, or it cannot be done in
            that memory (with the least that is possible).
    """
    from dynamo_lab.api.tiny.plan import Plan
    from dynamo_lab.bench.progress import progress_bar
    from dynamo_lab.tiny.int8.pipeline import Int8
    from dynamo_lab.tiny.limit import limit_of
    from dynamo_lab.tiny.plan import plan, problem
    from dynamo_lab.tiny.search.options import search_of
    from dynamo_lab.tiny.search.planned import planned
    from dynamo_lab.tiny.search.searched import Asked
    from dynamo_lab.tiny.selection import Selection, scaled, selection

    if dtype not in ("float32", "int8"):
        raise OptionError(f'dtype={dtype!r} is neither "float32" nor "int8".')
    int8 = (
        Int8(calibrate or [example], scaled(model, scaling), headroom) if dtype == "int8" else None
    )
    how = search_of(update, search, limit_of(memory))
    selected: Selection = {} if how else selection(model, update, channels)
    loss = loss or _cross_entropy()
    asked = problem(
        model,
        example,
        loss,
        optimizer=optimizer,
        memory=memory,
        channels=channels,
        precision=precision,
        int8=int8,
    )
    if how is None:
        return Plan.of(plan(asked, selected).held())
    with progress_bar() as watch:
        return Plan.of(planned(Asked(asked, example, loss, how), watch))


def _cross_entropy() -> Callable[..., Any]:
    import torch

    return torch.nn.functional.cross_entropy

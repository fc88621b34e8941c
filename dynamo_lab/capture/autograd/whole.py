"""The joint graph of a whole training step, made ahead of time: forward, loss and backward in one.

`torch.export` captures the model and its loss as one graph, AOTAutograd differentiates it. Nothing
is decomposed further, so an operator here is the operator that eager runs, with its numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from traceback import FrameSummary
from typing import Any

import torch
from torch import fx, nn

from dynamo_lab.capture.autograd.hooks import WHOLE
from dynamo_lab.capture.core.hooks import PYTREE, REAL_STACK
from dynamo_lab.errors import TinyError

_OWN_FILES = ("/torch/", "/dynamo_lab/capture/autograd/whole.py")


@dataclass(frozen=True)
class Whole:
    """A joint graph, and what its placeholders and outputs are, by the name of their node.

    `parameters` and `buffers` give the model's name of a placeholder, `inputs` are those of the
    example in order, `gradients` the output that is a parameter's gradient, by the parameter.
    """

    graph: fx.Graph
    parameters: Mapping[str, str]
    buffers: Mapping[str, str]
    inputs: tuple[str, ...]
    gradients: Mapping[str, str]
    loss: str


class WithLoss(nn.Module):
    """A model and its loss, as one module of the model's inputs and the target."""

    def __init__(self, model: nn.Module, loss: Callable[..., Any]) -> None:
        super().__init__()
        self.model = model
        self.loss = loss

    def forward(self, *inputs: Any) -> tuple[Any]:
        """The loss, in a tuple as AOTAutograd asks for it."""
        *given, target = inputs
        return (self.loss(self.model(*given), target),)


def whole_step(model: nn.Module, loss: Callable[..., Any], example: Sequence[Any]) -> Whole:
    """The joint graph of `loss(model(*example[:-1]), example[-1])` and its backward.

    Raises:
        TinyError: the step is no single graph (with the place and the reason), its loss is no
        scalar, or it changes a buffer in place.
        AbsentError: this PyTorch cannot make a joint graph ahead of time.
    """
    together = WithLoss(model, loss)
    exported = _exported(together, tuple(example))
    if not (_is_scalar(exported.graph)):
        raise TinyError(
            "The loss is no scalar: training follows one number. Give a `loss` that reduces, such "
            "as torch.nn.functional.cross_entropy or lambda out, y: ((out - y) ** 2).mean()."
        )
    make = WHOLE.get()
    module, signature = make(
        exported.module(), tuple(example), trace_joint=True, output_loss_index=0
    )
    if signature.buffers_to_mutate:
        name = next(iter(signature.buffers_to_mutate.values()))
        raise TinyError(
            f"The step changes the buffer {_own_name(name)!r} in place, as BatchNorm does while "
            "training: call model.eval() first, which freezes the statistics, or use GroupNorm."
        )
    for node in module.graph.nodes:
        node.meta = {"val": PYTREE.tree_map(_described, node.meta.get("val"))}
    backward = signature.backward_signature
    return Whole(
        graph=module.graph,
        parameters={key: _own_name(name) for key, name in signature.inputs_to_parameters.items()},
        buffers={key: _own_name(name) for key, name in signature.inputs_to_buffers.items()},
        inputs=tuple(signature.user_inputs),
        gradients={
            _own_name(name): node for node, name in backward.gradients_to_parameters.items()
        },
        loss=backward.loss_output,
    )


def _exported(together: WithLoss, example: tuple[Any, ...]) -> Any:
    try:
        return torch.export.export(together, example, strict=True)
    except Exception as error:
        raise TinyError(_why_not(error)) from error


def _why_not(error: Exception) -> str:
    """A break as one sentence: what, where, and what to do."""
    reason = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    place = _place(error)
    return (
        f"The training step is no single graph: {reason.rstrip('.')}{place}. A plan needs all of "
        "it in one: move that statement out of the model, or write it with tensor operations "
        "(torch.where, torch.cond)."
    )


def _place(error: Exception) -> str:
    """The innermost of the user's frames, where Dynamo says which they are."""
    stack: Sequence[FrameSummary] = REAL_STACK.of(error) or ()
    own = [frame for frame in stack if not any(part in frame.filename for part in _OWN_FILES)]
    if not own:
        return ""
    last = own[-1]
    return f", at {last.filename}:{last.lineno} in {last.name}: `{(last.line or '').strip()}`"


def _is_scalar(graph: fx.Graph) -> bool:
    (results,) = next(node for node in graph.nodes if node.op == "output").args
    value = results[-1].meta.get("val") if isinstance(results[-1], fx.Node) else None
    return value is not None and value.numel() == 1


def _described(value: Any) -> Any:
    """A tensor of the same shape, strides and type without memory, of no particular fake mode."""
    if not isinstance(value, torch.Tensor):
        return value
    spanned = sum((n - 1) * step for n, step in zip(value.shape, value.stride(), strict=True)) + 1
    base = torch.empty(value.storage_offset() + spanned, dtype=value.dtype, device="meta")
    return base.as_strided(value.shape, value.stride(), value.storage_offset())


def _own_name(name: str) -> str:
    """A name of the model's own, without that of the module it is wrapped in."""
    return name.removeprefix("model.")

"""The joint graph of a whole training step, made ahead of time: forward, loss and backward in one.

`torch.export` captures the model and its loss as one graph, AOTAutograd differentiates it. Nothing
is decomposed further, so an operator here is the operator that eager runs, with its numbers.

AOTAutograd traces twice for that. The first trace knows the user's lines and modules of each node,
of the backward's too; the second one's nodes say by which statement of the first they were made.
"""

import copy
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from traceback import FrameSummary
from typing import Any

import torch
from torch import fx, nn

from dynamo_lab.capture.autograd.hooks import JOINT, WHOLE
from dynamo_lab.capture.core.hooks import PYTREE, REAL_STACK
from dynamo_lab.capture.core.undo import Undo
from dynamo_lab.errors import TinyError

_OWN_FILES = ("/torch/", "/dynamo_lab/capture/autograd/whole.py")
_FRAME = re.compile(r'(?=^ *File ")', re.MULTILINE)
_STATEMENT = re.compile(r"^ *(\w+) = ", re.MULTILINE)
_MODULES = ("nn_module_stack", "fwd_nn_module_stack")


@dataclass(frozen=True)
class Whole:
    """A joint graph, and what its placeholders and outputs are, by the name of their node.

    `parameters` and `buffers` give the model's name of a placeholder, `inputs` are those of the
    example in order, `gradients` the output that is a parameter's gradient, by the parameter. A
    node's `meta` has its value ("val"), its own name ("joint", for what is made of it later),
    whether it comes after the loss ("is_backward") and, where they are known, the user's lines and
    the modules as FX keeps them.
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
        TinyError: the step is no single graph (with the place and the reason) or fails on the
        example, its loss is no scalar or does not depend on a parameter, or it changes a buffer in
        place.
        AbsentError: this PyTorch cannot make a joint graph ahead of time.
    """
    together, given = WithLoss(model, loss), tuple(example)
    exported = _exported(together, given)
    _need_one_number(exported)
    make = WHOLE.get()
    with _first_trace() as first:
        try:
            module, signature = make(
                exported.module(), given, trace_joint=True, output_loss_index=0
            )
        except IndexError as error:  # a class or a row that there is not
            raise TinyError(_why_not(error, together, given)) from error
        except (AssertionError, RuntimeError) as error:
            raise _without_gradient(together, given) or error from error
    if signature.buffers_to_mutate:
        name = next(iter(signature.buffers_to_mutate.values()))
        raise TinyError(
            f"The step changes the buffer {_own_name(name)!r} in place, as BatchNorm does while "
            "training: call model.eval() first, which freezes the statistics, or use GroupNorm."
        )
    backward = signature.backward_signature
    is_backward = False
    for node in module.graph.nodes:
        value = PYTREE.tree_map(_described, node.meta.get("val"))
        own = {"val": value, "joint": node.name, "is_backward": is_backward}
        node.meta = {**own, **dict(_origin(node, first))}
        is_backward |= node.name == backward.loss_output
    for node in module.graph.find_nodes(op="placeholder"):
        node.meta |= _of_use(node)
    names = _first_names(model)
    gradients = backward.gradients_to_parameters.items()
    made = Whole(
        graph=module.graph,
        parameters={
            key: names.get(own := _own_name(name), own)
            for key, name in signature.inputs_to_parameters.items()
        },
        buffers={key: _own_name(name) for key, name in signature.inputs_to_buffers.items()},
        inputs=tuple(signature.user_inputs),
        gradients={names.get(own := _own_name(name), own): node for node, name in gradients},
        loss=backward.loss_output,
    )
    trained = [name for name, p in model.named_parameters() if p.requires_grad]
    if missing := [name for name in trained if name not in made.gradients]:
        raise _no_gradient(missing)
    return made


def _first_names(model: nn.Module) -> dict[str, str]:
    """By name of a parameter the one that the model lists it by: shared ones have several."""
    first = {id(p): name for name, p in model.named_parameters()}
    every = model.named_parameters(remove_duplicate=False)
    return {name: first[id(p)] for name, p in every}


def _of_use(node: fx.Node) -> dict[str, Any]:
    """The line and the modules that use an input or a parameter first."""
    known = (user.meta for user in node.users if "stack_trace" in user.meta)
    found = next(known, {})
    return {key: found[key] for key in ("stack_trace", "nn_module_stack") if key in found}


@contextmanager
def _first_trace() -> Iterator[dict[str, fx.Node]]:
    """The nodes of the graph that AOTAutograd traces first, by name, once it has."""
    nodes: dict[str, fx.Node] = {}
    undo = Undo()

    def keeping(*args: Any, **options: Any) -> Any:
        made = trace(*args, **options)
        nodes.update({node.name: node for node in made[0].graph.nodes})
        return made

    if JOINT.exists:
        trace = JOINT.get()
        undo.replace(*JOINT.place(), keeping)
    try:
        yield nodes
    finally:
        undo.run()


def _origin(node: fx.Node, first: Mapping[str, fx.Node]) -> Iterator[tuple[str, Any]]:
    """The user's lines and the modules of a node of the second trace, as `meta` has them."""
    trace = node.stack_trace or ""
    statement = _STATEMENT.search(trace) if "<eval_with_key>" in trace else None
    made_by = first.get(statement[1]) if statement else None
    if made_by is None:
        return
    frames = _FRAME.split(made_by.stack_trace or "")
    own = [one for one in frames if 'File "' in one and not any(o in one for o in _OWN_FILES)]
    if own:
        yield "stack_trace", "".join(own)
    modules = next((made_by.meta[key] for key in _MODULES if made_by.meta.get(key)), {})
    yield (
        "nn_module_stack",
        {key: (_own_path(path), kind) for key, (path, kind) in modules.items() if path},
    )


def _exported(together: WithLoss, example: tuple[Any, ...]) -> Any:
    try:
        return torch.export.export(together, example, strict=True)
    except Exception as error:
        raise TinyError(_why_not(error, together, example)) from error


def _why_not(error: Exception, together: WithLoss, example: tuple[Any, ...]) -> str:
    """A break as one sentence: what, where, and what to do; or that eager fails as well."""
    try:
        copy.deepcopy(together)(*example)
    except Exception as failed:
        return (
            "The model or its loss fails on the example, as it does without a plan: "
            f"{type(failed).__name__}: {_first_line(failed).rstrip('.')}."
        )
    reason = _first_line(error)
    place = _place(error)
    return (
        f"The training step is no single graph: {reason.rstrip('.')}{place}. A plan needs all of "
        "it in one: move that statement out of the model, or write it with tensor operations "
        "(torch.where, torch.cond)."
    )


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "")


def _place(error: Exception) -> str:
    """The innermost of the user's frames, where Dynamo says which they are."""
    stack: Sequence[FrameSummary] = REAL_STACK.of(error) or ()
    own = [frame for frame in stack if not any(part in frame.filename for part in _OWN_FILES)]
    if not own:
        return ""
    last = own[-1]
    return f", at {last.filename}:{last.lineno} in {last.name}: `{(last.line or '').strip()}`"


def _need_one_number(exported: Any) -> None:
    """Refuse a loss of several values, or one that is no scalar."""
    if exported.call_spec.out_spec != PYTREE.tree_flatten((0,))[1]:
        count = len(exported.graph_signature.user_outputs)
        raise TinyError(
            f"The loss is a container of {count}, and training follows one number. Give a `loss` "
            "that returns it alone, such as lambda out, y: own_loss(out, y)[0]."
        )
    (results,) = next(node for node in exported.graph.nodes if node.op == "output").args
    value = results[-1].meta.get("val") if isinstance(results[-1], fx.Node) else None
    if not isinstance(value, torch.Tensor) or value.numel() != 1:
        raise TinyError(
            "The loss is no scalar tensor: training follows one number. Give a `loss` that "
            "reduces, such as torch.nn.functional.cross_entropy or "
            "lambda out, y: ((out - y) ** 2).mean()."
        )


def _without_gradient(together: WithLoss, example: Sequence[Any]) -> TinyError | None:
    """What to say of parameters that the loss does not depend on, None if there are none."""
    copied = copy.deepcopy(together)
    (loss,) = copied(*example)
    trained = {name: p for name, p in copied.named_parameters() if p.requires_grad}
    if not loss.requires_grad:
        return TinyError(
            "The loss does not depend on any parameter with requires_grad=True: there is nothing "
            "to train. Look for a detach() or a torch.no_grad() on the way to it."
        )
    found = torch.autograd.grad(loss, list(trained.values()), allow_unused=True)
    names = [name for name, grad in zip(trained, found, strict=True) if grad is None]
    return _no_gradient([_own_name(name) for name in names]) if names else None


def _no_gradient(names: Sequence[str]) -> TinyError:
    told = ", ".join(map(repr, names))
    return TinyError(
        f"The loss does not depend on {told}, so there is no gradient to train with: call "
        "requires_grad_(False) on what is not to be trained, or take it out of the model."
    )


def _described(value: Any) -> Any:
    """A tensor of the same shape, strides and type without memory, of no particular fake mode."""
    if not isinstance(value, torch.Tensor):
        return value
    spanned = sum((n - 1) * step for n, step in zip(value.shape, value.stride(), strict=True)) + 1
    base = torch.empty(value.storage_offset() + spanned, dtype=value.dtype, device="meta")
    return base.as_strided(value.shape, value.stride(), value.storage_offset())


def _own_path(path: str) -> str:
    """A module's path from the model, which is itself at ""."""
    return "" if path == "model" else _own_name(path)


def _own_name(name: str) -> str:
    """A name of the model's own, without that of the module it is wrapped in."""
    return name.removeprefix("model.")

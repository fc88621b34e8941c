"""What is measured: a program with its arguments, called alone or as a training step."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import torch

    from dynamo_lab.model.benchmarks import Phase

    Fn = Callable[..., Any]


class Subject:
    """A program and its arguments.

    `leaves` are the tensors that get gradients, by name; `reached` other tensors that it may write
    to, such as those of a closure; `stored` the globals of the program that are what it computes,
    as a cell's variables are. A step's loss is `loss` of what the
    program returns, by default the sum of its floating-point tensors; `optimizer` then makes its
    step, if there is one.
    """

    def __init__(
        self,
        fn: Fn,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        leaves: Mapping[str, torch.Tensor],
        *,
        grad: bool = False,
        loss: Fn | None = None,
        optimizer: Any = None,
        reached: Mapping[str, torch.Tensor] | None = None,
        stored: Sequence[str] = (),
    ) -> None:
        self.fn = fn
        self.args, self.kwargs = args, kwargs
        self.leaves = leaves
        self.written: tuple[str, ...] = ()
        """The names of the tensors that a call writes to, to be compared as results are."""
        self._grad, self._loss, self.optimizer = grad, loss, optimizer
        self.takes_gradients = False
        """Whether its forward was found to fail without gradients."""
        self._reached = reached or {}
        self._stored = stored
        self._steps: dict[int, Callable[[], object]] = {}

    def step_with(self, way: Fn, step: Callable[[], object]) -> None:
        """From now on, the optimizer's step of this variant is another callable."""
        self._steps[id(way)] = step

    def first_call(self, phase: Phase) -> Callable[[], Any]:
        """A call of the program itself, which finds out whether it takes gradients itself.

        A forward whose error asks for them, as a training loop's does, has them from then on.
        Nothing that the failed attempt wrote is restored. Any other error is the program's own.
        """
        call = self.call(self.fn, phase)
        if phase == "step":  # which always has them
            return call

        def first() -> Any:
            try:
                return call()
            except Exception as error:
                if self._grad or not _asks_for_gradients(error):
                    raise
                self._grad = self.takes_gradients = True
                return call()

        return first

    def call(self, way: Fn, phase: Phase) -> Callable[[], Any]:
        """One call, ready to be timed."""
        import torch

        args, kwargs = self.args, self.kwargs
        if phase == "step":
            return lambda: self._step(way)

        def forward() -> Any:
            with torch.set_grad_enabled(self._grad):
                return way(*args, **kwargs)

        return forward

    def results(self, way: Fn, phase: Phase) -> dict[str, torch.Tensor]:
        """What a call computes, by name: what it returns or writes, and in a step the gradients."""
        if phase == "forward":
            return self._computed(self.call(way, phase)()) | self._after()
        self._forget_gradients()
        found = self._computed(self._backward(way))
        for name, leaf in self.leaves.items():
            if leaf.grad is not None:
                found[f"gradient of {name}"] = leaf.grad.detach().clone()
        self._forget_gradients()
        return found | self._after()

    def _computed(self, returned: Any) -> dict[str, torch.Tensor]:
        """The tensors that a call returned, and those that it stored."""
        found = dict(named_tensors("output", returned))
        known = {id(tensor) for tensor in found.values()}
        for name in self._stored:
            for key, tensor in named_tensors(f"`{name}`", self.fn.__globals__.get(name)):
                if id(tensor) not in known:
                    known.add(id(tensor))
                    found[key] = tensor
        return found

    def observe(
        self, way: Fn, phase: Phase, has_changed: Callable[[torch.Tensor], bool]
    ) -> dict[str, torch.Tensor]:
        """What a call computes, and know from then on which tensors a call writes to.

        `has_changed` says whether the memory of one differs from before the call.
        """
        found = self.results(way, phase)
        tensors = self._writable()
        self.written = tuple(name for name, t in tensors.items() if has_changed(t))
        return found | self._after()

    def also_written(self, has_changed: Callable[[torch.Tensor], bool]) -> list[str]:
        """The tensors that the last call wrote to, and the observed one did not."""
        known = set(self.written)
        return [n for n, t in self._writable().items() if n not in known and has_changed(t)]

    def _after(self) -> dict[str, torch.Tensor]:
        tensors = self._writable()
        kept = (name for name in self.written if name in tensors)
        return {f"{name} after the call": tensors[name].detach() for name in kept}

    def _writable(self) -> dict[str, torch.Tensor]:
        """What a call may write to: its arguments, a module's buffers, and what else it reaches."""
        import torch

        named = dict(named_tensors("argument", (*self.args, *self.kwargs.values())))
        if isinstance(self.fn, torch.nn.Module):
            named |= {f"buffer {name}": value for name, value in self.fn.named_buffers()}
        known = {id(tensor) for tensor in named.values()}
        named |= {name: t for name, t in self._reached.items() if id(t) not in known}
        return {name: tensor for name, tensor in named.items() if tensor.layout is torch.strided}

    def _step(self, way: Fn) -> None:
        import torch

        with torch.enable_grad():
            total = self._forward(way)[1]  # the output is held no longer than the loss needs it
        if total is not None:
            total.backward()
        self.step(way)
        self._forget_gradients()

    def step(self, way: Fn) -> None:
        """The optimizer's step of a variant, if there is an optimizer."""
        if self.optimizer is not None:
            step: Callable[[], object] = self._steps.get(id(way)) or self.optimizer.step
            step()

    def stepped(self, way: Fn, gradients: Fn) -> dict[str, torch.Tensor]:
        """What a variant's step makes of the parameters, with the gradients of another one."""
        self._forget_gradients()
        self._backward(gradients)
        self.step(way)
        self._forget_gradients()
        return {f"{name} after the step": t.detach().clone() for name, t in self.leaves.items()}

    def _backward(self, way: Fn) -> Any:
        import torch

        with torch.enable_grad():
            returned, total = self._forward(way)
        if total is not None:
            total.backward()
        return returned

    def _forward(self, way: Fn) -> tuple[Any, Any]:
        """What a call returns, and its loss."""
        returned = way(*self.args, **self.kwargs)
        return returned, self._loss(returned) if self._loss else _sum(returned)

    def _forget_gradients(self) -> None:
        for leaf in self.leaves.values():
            leaf.grad = None

    def laid_out(self) -> Subject | None:
        """The same program with arguments that lie in a row; None where they all do already."""
        args, kwargs = _in_a_row((self.args, dict(self.kwargs)))
        given = dict(named_tensors("", (*self.args, *self.kwargs.values())))
        if all(tensor.is_contiguous() for tensor in given.values()):
            return None
        return Subject(self.fn, args, kwargs, {}, stored=self._stored)

    def exact(self) -> Subject | None:
        """The same program in float64, or None where it holds tensors that cannot be reached."""
        import torch

        if isinstance(self.fn, torch.nn.Module):
            module = _on_exact_device(copy.deepcopy(self.fn)).double()
            module.zero_grad()
            leaves = dict(module.named_parameters())
        elif self._stored or (
            self.leaves and not _are_arguments(self.leaves, self.args, self.kwargs)
        ):
            return None
        else:
            module, leaves = self.fn, {}
        args, kwargs = _exact((self.args, dict(self.kwargs)))
        leaves |= argument_leaves(args, kwargs)
        options: Any = {"grad": self._grad, "loss": self._loss}
        made = Subject(module, args, kwargs, leaves, **options)
        made.written = self.written
        return made


_ASKS_FOR_GRADIENTS = re.compile(r"\brequires?[ _](?:grad|gradients?)\b")
"""Of autograd's messages, and of programs that speak like it."""


def _asks_for_gradients(error: BaseException) -> bool:
    """Whether an error, or one that it was raised for, says that a tensor requires no gradient."""
    seen = error
    while not _ASKS_FOR_GRADIENTS.search(str(seen)):
        cause = seen.__cause__ or seen.__context__
        if cause is None:
            return False
        seen = cause
    return True


def argument_leaves(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """The tensors among the arguments that get gradients."""
    named = dict(named_tensors("argument", (*args, *kwargs.values())))
    return {name: t for name, t in named.items() if t.requires_grad and t.is_leaf}


def _are_arguments(
    leaves: Mapping[str, torch.Tensor], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> bool:
    known = {id(leaf) for leaf in argument_leaves(args, kwargs).values()}
    return all(id(leaf) in known for leaf in leaves.values())


def _on_exact_device(module: torch.nn.Module) -> torch.nn.Module:
    """Where float64 is known: Apple's GPUs lack it."""
    devices = {parameter.device.type for parameter in module.parameters()}
    return module.to("cpu") if "mps" in devices else module


def _in_a_row(value: Any) -> Any:
    """The value with copies of its tensors, each contiguous."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.detach().clone(memory_format=torch.contiguous_format)
    if type(value) in (tuple, list):
        items = cast("list[Any]", value)
        return type(items)(_in_a_row(item) for item in items)
    if type(value) is dict:
        return {key: _in_a_row(item) for key, item in cast("dict[Any, Any]", value).items()}
    return value


def _exact(value: Any) -> Any:
    """The value with its floating-point tensors in float64, leaves again."""
    import torch

    if isinstance(value, torch.Tensor):
        wide = {True: torch.complex128, False: torch.float64}[value.is_complex()]
        if not (value.is_floating_point() or value.is_complex()):
            return value.cpu() if value.device.type == "mps" else value
        home = "cpu" if value.device.type == "mps" else value.device
        return value.detach().to(home, wide).requires_grad_(value.requires_grad)
    if type(value) in (tuple, list):
        items = cast("list[Any]", value)
        return type(items)(_exact(item) for item in items)
    if type(value) is dict:
        return {key: _exact(item) for key, item in cast("dict[Any, Any]", value).items()}
    return value


def named_leaves(
    fn: Any, args: Sequence[Any], kwargs: Mapping[str, Any], leaves: Iterable[torch.Tensor]
) -> dict[str, torch.Tensor]:
    """The tensors that get gradients: arguments and parameters by name, others by number."""
    import torch

    named = {id(t): name for name, t in argument_leaves(args, kwargs).items()}
    if isinstance(fn, torch.nn.Module):
        named |= {id(value): name for name, value in fn.named_parameters()}
    return {named.get(id(t), f"tensor {at}"): t for at, t in enumerate(leaves)}


def _sum(returned: Any) -> torch.Tensor | None:
    """The sum of all tensors that a gradient can flow from."""
    import torch

    found = [t for _, t in named_tensors("", returned) if t.requires_grad]
    return torch.stack([t.float().sum() for t in found]).sum() if found else None


def named_tensors(name: str, value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors in nested tuples, lists and mappings (model outputs are mappings), by name."""
    import torch

    match value:
        case torch.Tensor():
            yield name, value
        case {**items}:
            for key, item in items.items():
                yield from named_tensors(f"{name} {key}", item)
        case tuple() | list():
            for at, item in enumerate(cast("list[Any]", value)):
                yield from named_tensors(f"{name} {at}", item)
        case _:
            pass

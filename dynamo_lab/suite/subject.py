"""A model as it is called: a copy of it on a device, with what it is trained on."""

from __future__ import annotations

import copy
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from dynamo_lab.record.state import State
    from dynamo_lab.suite.models.model import Program
    from dynamo_lab.suite.results import Case

SEEN = 1e-2
"""The learning rate that a step of Adam is checked with."""

RATE = 1e-6
"""So small that hundreds of steps on random labels leave the weights as they are."""


class Subject:
    """A copy of the model on a device, and how it is called."""

    def __init__(
        self, program: Program, case: Case, device: str, exact: bool = False, seed: int = 1
    ) -> None:
        import torch

        def moved(value: Any) -> Any:
            if not isinstance(value, torch.Tensor):
                return value
            wide = exact and value.is_floating_point()
            return value.to(device, torch.float64 if wide else None)

        training = case.task != "inference"
        self.module = copy.deepcopy(program.module).train(training)
        self.module.to(device, torch.float64 if exact else None)
        self.inputs = {name: moved(value) for name, value in program.inputs.items()}
        self.target, self.training, self.device = program.target, training, device
        self.amp = case.precision == "amp" and not exact
        self.labels: torch.Tensor | None = None
        self._seed = seed
        if training:
            is_adams = case.task == "optimizer"
            made = torch.optim.Adam if is_adams else torch.optim.SGD
            self.rate = SEEN if is_adams else RATE
            self.optimizer = made(self.module.parameters(), lr=self.rate)

    def function(self, inputs: dict[str, Any], labels: torch.Tensor | None) -> Any:
        """What is compiled: the model, and for training its loss too."""
        output = self.module(**inputs)
        return output if labels is None else loss_of(scores_of(output), labels, self.target)

    def state(self) -> State:
        """What calls may write to, as it is: all but the parameters, which are hardly changed."""
        from dynamo_lab.record.state import State

        kept = self.module, self.inputs
        return State(kept, without=list(self.module.parameters()))

    def contexts(self) -> ExitStack:
        """How both ways run: without gradients, or with autocast, as the case asks."""
        import torch

        stack = ExitStack()
        stack.enter_context(torch.set_grad_enabled(self.training))
        if self.amp:
            stack.enter_context(torch.autocast(self.device, dtype=torch.bfloat16))
        return stack

    def values(self, function: Callable[..., Any]) -> dict[str, torch.Tensor]:
        """What one call computes: the outputs, or the loss and the gradients."""
        import torch

        from dynamo_lab.capture.core.running import tensors_in

        torch.manual_seed(0)
        self.label()
        with self.contexts():
            output = function(self.inputs, self.labels)
        found = {f"output {at}": leaf.detach() for at, leaf in enumerate(tensors_in(output))}
        if self.training:
            output.backward()
            for name, parameter in self.module.named_parameters():
                if parameter.grad is not None:
                    found[f"gradient of {name}"] = parameter.grad
            self.optimizer.zero_grad()  # which lets go of them: they are ours now
        synchronize(self.device)
        return found

    def differentiate(self, function: Callable[..., Any]) -> None:
        """Make the gradients."""
        with self.contexts():
            loss = function(self.inputs, self.labels)
        loss.backward()

    def call(
        self, function: Callable[..., Any], advance: Callable[[], object] | None = None
    ) -> Callable[[], object]:
        """One call as it is timed; `advance` is the optimizer's step, by default the eager one."""

        def infer() -> object:
            with self.contexts():
                return function(self.inputs, None)

        def step() -> None:
            self.optimizer.zero_grad()
            self.differentiate(function)
            (advance or self.optimizer.step)()

        return step if self.training else infer

    def forget_gradients(self) -> None:
        """Let go of what the last step left."""
        if self.training:
            self.optimizer.zero_grad()

    def label(self) -> None:
        """Make labels that fit the output, the same for each copy of the model with this seed."""
        if not self.training or self.labels is not None:
            return
        import torch

        with torch.no_grad():
            shape = scores_of(self.module(**self.inputs)).shape
        made = torch.Generator().manual_seed(self._seed)
        if self.target == "classes":
            labels = torch.randint(shape[-1], shape[:-1], generator=made)
        else:
            labels = torch.rand(shape, generator=made)
        self.labels = labels.to(self.device)


def scores_of(output: Any) -> Any:
    """The output that is trained on."""
    import torch

    if isinstance(output, torch.Tensor):
        return output
    for name in ("logits", "logits_per_image"):
        if hasattr(output, name):
            return getattr(output, name)
    return output[0]


def loss_of(scores: torch.Tensor, labels: torch.Tensor, target: str) -> torch.Tensor:
    """A number that is trained on: see `Program`."""
    from torch.nn.functional import cross_entropy, mse_loss

    if target == "classes":
        return cross_entropy(scores.flatten(0, -2), labels.flatten())
    return mse_loss(scores, labels.to(scores.dtype))


def synchronize(device: str) -> None:
    """Wait for the device."""
    import torch

    if device != "cpu":
        torch.get_device_module(device).synchronize()

"""A recorded program, compiled again and kept, so that it can run with edited kernels."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import EditError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    import torch

    from dynamo_lab.capture.kernels.edited import Definition
    from dynamo_lab.capture.kernels.recorded_calls import Call
    from dynamo_lab.record.run import Program


class CompiledProgram:
    """A recorded program, compiled again to run with edits. It keeps what it compiled."""

    def __init__(self, program: Program) -> None:
        import torch

        from dynamo_lab.capture.kernels.edited import options_to_compile

        choice = program.choice
        self._program = program
        self._fn, self._args, self._kwargs = program.call()
        self._compiled: Any = torch.compile(  # pyright: ignore[reportUnknownMemberType]
            self._fn,
            **options_to_compile(choice.mode, choice.dynamic, choice.fullgraph, choice.settings),
        )
        self._calls: dict[str, list[Call]] = {}

    @contextmanager
    def untouched(self) -> Generator[None, None, None]:
        """Restore the program's tensors afterwards, and use the same random seed."""
        from dynamo_lab.record.replay import without_trace

        with without_trace(self._roots()):
            yield

    def _roots(self) -> list[Any]:
        return [self._fn, self._args, self._kwargs, *self._program.roots()]

    def runner(self, *, eager: bool = False) -> Callable[[], Any]:
        """A call of the program, on its own arguments."""
        from dynamo_lab.capture.core.running import call_once
        from dynamo_lab.record.replay import copies

        args, kwargs = copies((self._args, self._kwargs))
        fn = self._fn if eager else self._compiled
        return lambda: call_once(fn, args, kwargs, grad=self._program.choice.grad)

    def results(self, *, eager: bool = False) -> dict[str, torch.Tensor]:
        """The tensors that a call returns, and the gradients that it leaves."""
        from dynamo_lab.capture.core.running import tensors_in
        from dynamo_lab.record.reach import leaves
        from dynamo_lab.record.replay import stored_by

        with self.untouched():
            tensors = leaves(self._roots())
            for tensor in tensors:
                tensor.grad = None
            found = list(tensors_in(self.runner(eager=eager)())) + stored_by(self._fn)
            named = {f"output {i}": tensor.detach().clone() for i, tensor in enumerate(found)}
            grads = [tensor.grad for tensor in tensors]
            return named | {
                f"gradient {i}": grad.clone() for i, grad in enumerate(grads) if grad is not None
            }

    def modules(self, defined: Definition) -> list[Any]:
        """The modules that define the kernel, once the program is compiled.

        Raises:
            EditError: it is compiled to something else now.
        """
        from dynamo_lab.capture.kernels.edited import modules_with

        self.results()
        found = modules_with(defined)
        if not found:
            raise EditError(
                f"Compiled again, the program has no {defined.name} with this code: settings or "
                "its inputs have changed since. Record it again."
            )
        return found

    def calls_of(self, defined: Definition, modules: list[Any]) -> list[Call]:
        """Calls of the original kernel while the program runs, with their real arguments."""
        from dynamo_lab.capture.kernels.edited import Listener, in_place

        if defined.name not in self._calls:
            listener = Listener(vars(modules[0])[defined.name])
            with in_place(modules, defined.name) as put:
                put(listener)
                self.results()
            if not listener.calls:
                raise EditError(
                    f"The program does not call {defined.name} when it runs: nothing to compare."
                )
            self._calls = {defined.name: listener.calls}  # of one kernel: they take memory
        return self._calls[defined.name]

"""Each kernel of a compiled program on its own inputs, against the operators that it implements.

A graph runs operator by operator on the inputs that its compiled form gets: so it is known what
each buffer should hold. What a kernel wrote is compared with that, and replaced by it, so that the
next kernel starts from what is right.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from dynamo_lab.capture.bisections import hooks
from dynamo_lab.capture.core.undo import Undo, whole
from dynamo_lab.capture.kernels.interpreted import (
    Eager,
    WrittenModule,
    describe_written,
    is_random,
)
from dynamo_lab.capture.kernels.kernel_calls import intercepted, plain, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dynamo_lab.capture.kernels.kernel_calls import Site
    from dynamo_lab.model.recording import Recording

    Judge = Callable[[torch.Tensor, torch.Tensor], bool]
    """Whether a value is wrong, given what it should be."""


class Wrong(NamedTuple):
    """A buffer that a kernel wrote and that is wrong, and the node whose value it should hold."""

    kernel: int
    buffer: str
    node: str
    is_bad: bool
    """Whether it has a number that is none, or infinite, where it should have one."""


@whole
def written() -> Iterator[list[WrittenModule]]:
    """The modules that Inductor writes meanwhile, each with the graph that it is for."""
    found: list[WrittenModule] = []
    owner, name = hooks.GENERATED.place()
    original, undo = vars(owner)[name], Undo()

    @functools.wraps(original)
    def generated(lowering: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(lowering, *args, **kwargs)
        code = getattr(result[0], "value", None)
        if isinstance(code, str):
            found.append(describe_written(lowering, code))
        return result

    try:
        undo.replace(owner, name, generated)
        yield found
    finally:
        undo.run()


def wrong_kernels(
    recording: Recording,
    modules: Sequence[WrittenModule],
    call: Callable[[], object],
    judge: Judge,
) -> list[Wrong]:
    """The buffers that kernels of one call of the program compute wrongly, in order."""
    values = _Values(recording, modules, judge)
    with values.watched():
        call()
    return values.found


class _Values:
    def __init__(
        self, recording: Recording, modules: Sequence[WrittenModule], judge: Judge
    ) -> None:
        self._judge = judge
        self._modules = {plain(module.code): module for module in modules}
        self._wrapped = wrapped(recording)
        trees = {wrapper.id: wrapper.code for wrapper in recording.wrappers}
        self._calls = {
            wrapper: _calls(trees[wrapper]) for wrapper in {s.wrapper for s in self._wrapped.sites}
        }
        self._running: list[tuple[WrittenModule, dict[str, Any]] | None] = []
        self.found: list[Wrong] = []

    @whole
    def watched(self) -> Iterator[None]:
        owner, name = hooks.COMPILED_CALL.place()
        original, undo = vars(owner)[name], Undo()

        @functools.wraps(original)
        def called(compiled: Any, inputs: Any) -> Any:
            self._running.append(self._expected(compiled, inputs))
            try:
                return original(compiled, inputs)
            finally:
                self._running.pop()

        try:
            undo.replace(owner, name, called)
            with intercepted(self._wrapped.live, self._kernel):
                yield
        finally:
            undo.run()

    def _expected(
        self, compiled: Any, inputs: Sequence[Any]
    ) -> tuple[WrittenModule, dict[str, Any]] | None:
        module = self._modules.get(plain(compiled.source_code))
        if module is None or any(map(is_random, module.graph_module.graph.nodes)):
            return None
        return module, Eager(module.graph_module).values(inputs)

    def _kernel(self, at: int, kernel: Any, *args: Any, **kwargs: Any) -> Any:
        result = kernel(*args, **kwargs)
        if self._running and (now := self._running[-1]) is not None:
            site = self._wrapped.sites[at]
            self._compare(site, *now, self._named(site, args, kwargs, result))
        return result

    def _named(self, site: Site, args: Any, kwargs: Any, result: Any) -> dict[str, torch.Tensor]:
        """The tensors of a call that are buffers which it makes, by name."""
        names, out, assigned = self._calls[site.wrapper].get(site.line, ((), "", ""))
        found = {**dict(zip(names, args, strict=False)), out: kwargs.get("out"), assigned: result}
        return {
            name: value
            for name, value in found.items()
            if name in site.buffers and isinstance(value, torch.Tensor)
        }

    def _compare(
        self,
        site: Site,
        module: WrittenModule,
        values: dict[str, Any],
        made: dict[str, torch.Tensor],
    ) -> None:
        for buffer, value in made.items():
            node = module.buffers.get(buffer, "")
            expected = values.get(node)
            if not isinstance(expected, torch.Tensor) or expected.numel() != value.numel():
                continue
            right = expected.reshape(value.shape).to(value.dtype)
            if self._judge(value, right):
                is_bad = bool((~value.isfinite() & right.isfinite()).any())
                self.found.append(Wrong(site.kernel, buffer, node, is_bad))
            value.copy_(right)


def _calls(code: str) -> dict[int, tuple[tuple[str, ...], str, str]]:
    """The calls of a module by line: the names of the arguments, of `out`, and of the result."""
    found: dict[int, tuple[tuple[str, ...], str, str]] = {}
    for statement in ast.walk(ast.parse(code)):
        if not isinstance(statement, ast.Assign | ast.Expr):
            continue
        call = statement.value
        if isinstance(call, ast.Call):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            out = next((k.value for k in call.keywords if k.arg == "out"), None)
            found[call.lineno] = (tuple(map(_name, call.args)), _name(out), _name(target))
    return found


def _name(node: ast.AST | None) -> str:
    return node.id if isinstance(node, ast.Name) else ""

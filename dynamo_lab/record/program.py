"""Programs that can run again: a function with its arguments, or a cell."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING, Any, Self

from dynamo_lab.record.cells import build_frame
from dynamo_lab.record.replay import copies

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dynamo_lab.model.core.sources import Source
    from dynamo_lab.record.cells import CellFrame
    from dynamo_lab.record.run import Choice, Program, Run


class _Chosen:
    """A program that can be compiled with other options."""

    choice: Choice
    passed: Any = ()

    def chosen(self, choice: Choice) -> Self:
        """The same program, to compile with other options."""
        changed = copy.copy(self)
        changed.choice = choice
        return changed


class FunctionProgram(_Chosen):
    """What `explore` ran. Its arguments are copies from before, unless they are too large."""

    def __init__(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        explored: Callable[..., tuple[Run, Any]],
        choice: Choice,
    ) -> None:
        self._fn = fn
        self._args, self._kwargs = copies((args, dict(kwargs)))
        self.explored = explored
        self.choice = choice

    def call(self) -> tuple[Callable[..., Any], Sequence[Any], Mapping[str, Any]]:
        """The function, with copies of its arguments."""
        return self._fn, *copies((self._args, self._kwargs))

    def roots(self) -> list[Any]:
        """The function or module, and its arguments."""
        return [self._fn, self._args, self._kwargs]

    def eager(self) -> Any:
        """What the function returns without compilation."""
        from dynamo_lab.capture.core.running import call_once

        args, kwargs = self.passed = copies((self._args, self._kwargs))
        return call_once(self._fn, args, kwargs, grad=self.choice.grad)

    def compiled(self) -> tuple[Run, Any]:
        """A run of it, and what it returns."""
        self.passed = copies((self._args, self._kwargs))
        return self.explored(self._fn, *self.passed, self.choice)

    def edited(self, source: Source, text: str, name: str) -> Program | None:
        """None: a function is an object, and its code is replaced instead."""
        return None

    def namespaces(self) -> list[dict[str, Any]]:
        """None except the globals of functions."""
        return []


class CellProgram(_Chosen):
    """What `%%compile` ran: the cell, and the names that it reads as they were before."""

    def __init__(
        self,
        source: str,
        filename: str,
        namespace: dict[str, Any],
        record: Callable[[CellFrame, dict[str, Any], Choice], tuple[Run, Any]],
        choice: Choice,
    ) -> None:
        self.choice = choice
        self._source, self._filename, self._record = source, filename, record
        self._globals = namespace
        tree = ast.parse(source)
        self._names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self._before = copies({n: namespace[n] for n in self._names if n in namespace})

    def call(self) -> tuple[Callable[..., Any], Sequence[Any], Mapping[str, Any]]:
        """The cell's function after its definitions ran, with what it reads."""
        return self._called(*self._prepared())

    def roots(self) -> list[Any]:
        """The values that the cell names."""
        return [self._before]

    def eager(self) -> Any:
        """The values of all names of the cell after it ran as a plain one."""
        namespace, frame = self._prepared()
        function, args, kwargs = self._called(namespace, frame)
        return self._outcome(namespace, function(*args, **kwargs))

    def compiled(self) -> tuple[Run, Any]:
        """A run of the cell, and the values of all its names."""
        namespace, frame = self._prepared()
        run, shown = self._record(frame, namespace, self.choice)
        return run, self._outcome(namespace, shown)

    def edited(self, source: Source, text: str, name: str) -> Program | None:
        """The cell with another text, if the text is that cell's."""
        own = "\n".join(line.rstrip("\r\n") for line in self._source.splitlines(keepends=True))
        if not source.excerpts or source.excerpts[0].text != own:
            return None
        changed = copy.copy(self)
        changed._source, changed._filename = text, name
        return changed

    def namespaces(self) -> list[dict[str, Any]]:
        """The notebook's."""
        return [self._globals]

    def _prepared(self) -> tuple[dict[str, Any], CellFrame]:
        """A namespace like the one before the cell ran, and the cell's frame in it."""
        others = {n: v for n, v in self._globals.items() if n not in self._names}
        namespace = {**others, **copies(self._before)}
        return namespace, build_frame(self._source, self._filename, namespace)

    def _called(
        self, namespace: dict[str, Any], frame: CellFrame
    ) -> tuple[Callable[..., Any], Sequence[Any], Mapping[str, Any]]:
        """The cell's function, once its definitions ran in the namespace, with what it reads."""
        exec(frame.definitions, namespace)
        if frame.code is None:
            return (lambda: None), (), {}
        return frame.function(namespace), [namespace[name] for name in frame.parameters], {}

    def _outcome(self, namespace: dict[str, Any], shown: Any) -> list[Any]:
        return [*(namespace.get(name) for name in sorted(self._names)), shown]

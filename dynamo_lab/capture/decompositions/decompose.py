"""Decompose a call for real: its rule runs on fake tensors, and each call it makes is recorded.

The tensors have the call's own shapes, strides, types and device, which need not be present. It
runs below autograd, so that operators whose rule is a kernel in C++ are seen as well.
"""

import inspect
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from msgspec.structs import replace

from dynamo_lab.capture.core.hooks import OPERATORS
from dynamo_lab.capture.core.hooks import PYTREE as pytree
from dynamo_lab.capture.core.log_lines import told_lines_held
from dynamo_lab.capture.decompositions import hooks
from dynamo_lab.capture.decompositions.call_table import CallTable
from dynamo_lab.capture.decompositions.rulebook import Rulebook, describe
from dynamo_lab.capture.graphs.calls import CallOf, call_of, layout, written
from dynamo_lab.capture.graphs.nodes import tensor_value
from dynamo_lab.errors import DecompositionError
from dynamo_lab.model.decompositions import TARGETS, End, Row, Step, Way

_MOST_CALLS = 4_000
_NO_NUMBERS = frozenset(
    {"detach_", "size", "stride", "storage_offset", "sym_size", "sym_stride", "sym_numel"}
)
"""What asks about a tensor, or is about gradients only: computes nothing."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A call that stays, with its tensors: what runs in place of the operator."""

    op: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    out: Any


@dataclass(slots=True)
class Trace:
    """One call decomposed to a set: the fake tensors it was traced on, and what stays."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    out: Any
    leaves: list[Leaf]


def trace(call: CallOf, book: Rulebook, table: CallTable) -> Trace:
    """Decompose a call to the set of `book`, and store each step in `table`.

    Raises:
        DecompositionError: the call itself cannot be traced.
    """
    try:
        return _trace(call, book, table)
    except DecompositionError:
        raise
    except Exception as error:
        if not call.is_on_cpu:  # some operators look for the device, which need not be there
            return _trace_on_cpu(call, book, table)
        raise _refusal(call, error) from error


def _trace_on_cpu(call: CallOf, book: Rulebook, table: CallTable) -> Trace:
    """The same, with tensors on the CPU instead of those on an absent device."""
    try:
        return _trace(call.on(torch.device("cpu")), book, table, call)
    except DecompositionError:
        raise
    except Exception as error:
        raise _refusal(call, error) from error


def _refusal(call: CallOf, error: Exception) -> DecompositionError:
    return DecompositionError(
        f"`{call.name}` cannot be traced on these arguments: {sentence(error)}"
    )


def sentence(error: BaseException) -> str:
    """The kind of an error and the first line of its message."""
    if isinstance(error, _Circle):
        return str(error)
    if _needs_numbers(error):
        return "its result depends on the numbers in its arguments, which tracing does not have"
    message = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _needs_numbers(error: BaseException) -> bool:
    numbers = hooks.NO_NUMBERS
    return isinstance(
        error, numbers.DataDependentOutputException | numbers.DynamicOutputShapeException
    )


def _trace(call: CallOf, book: Rulebook, table: CallTable, told: CallOf | None = None) -> Trace:
    with told_lines_held(), _fake():
        args, kwargs = call.fakes()
        tracer = _Tracer(book, table)
        out = tracer.call(call.op, args, kwargs, told)
        return Trace(args, kwargs, out, tracer.leaves)


@contextmanager
def _fake() -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings(action="ignore"))  # about PyTorch's own rules
        stack.enter_context(hooks.NO_MODES.get()())
        fake = hooks.FAKES.get()(allow_non_fake_inputs=True)
        fake.cache_enabled = False  # what it hands back for prims.as_strided lacks the offset
        stack.enter_context(fake)
        stack.enter_context(hooks.BELOW_AUTOGRAD.get()())
        yield


class _Circle(Exception):
    """A rule makes the same call that it is to decompose: that call stays as it is."""

    def __init__(self, call: int) -> None:
        super().__init__("it makes the same call again")
        self.call = call


@dataclass(slots=True)
class _Scope:
    """The names of the tensors that one rule knows, and the rows it has made."""

    names: dict[int, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    used: Counter[str] = field(default_factory=Counter)

    def name_for(self, op: Any) -> str:
        name = op.overloadpacket.__name__
        self.used[name] += 1
        return name if self.used[name] == 1 else f"{name}_{self.used[name] - 1}"

    def bind(self, name: str, value: Any) -> None:
        """Call the tensors in `value` by a name, unless they have one already."""
        if isinstance(value, torch.Tensor):
            self.names.setdefault(id(value), name)
            return
        for place, tensor in enumerate(value if isinstance(value, list | tuple) else ()):
            if isinstance(tensor, torch.Tensor):
                self.names.setdefault(id(tensor), f"{name}[{place}]")

    def written(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        return written(args, kwargs, self._name)

    def _name(self, value: Any) -> str | None:
        if not isinstance(value, torch.Tensor):
            return None
        return self.names.get(id(value)) or f"a constant {_tensor_text(value)}"


class _Tracer(hooks.DISPATCH_MODE.get()):
    """Sees each call that rules make, and applies the rule of each in turn."""

    def __init__(self, book: Rulebook, table: CallTable) -> None:
        super().__init__()
        self.leaves: list[Leaf] = []
        self._book = book
        self._table = table
        self._to = TARGETS.index(book.to)
        self._scopes: list[_Scope] = []
        self._path: list[int] = []
        self._alive: list[Any] = []  # names go by identity, which a dead tensor would pass on
        self._count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func.overloadpacket is torch.ops.aten.detach:
            return args[0]  # made by each factory function in C++; gradients are not traced here
        if func.namespace == "prim" or func.overloadpacket.__name__ in _NO_NUMBERS:
            return func(*args, **kwargs)
        scope = self._scopes[-1]
        name = scope.name_for(func)
        made = call_of(func, args, kwargs)
        arguments = scope.written(args, kwargs)
        at = len(scope.rows)
        index = self._table.call(made)
        scope.rows.append(Row(call=index, name=name, arguments=arguments))
        out = self.call(func, args, kwargs, made)
        del scope.rows[at + 1 :]
        scope.bind(name, out)
        return out

    def call(self, op: Any, args: Any, kwargs: Any, told: CallOf | None = None) -> Any:
        """Make a call: by its rule where one fires, else as it is."""
        index = self._table.call(told or call_of(op, args, kwargs))
        self._count += 1
        if self._count > _MOST_CALLS:
            raise DecompositionError(f"It becomes more than {_MOST_CALLS:,} calls.")
        self._alive.append((args, kwargs))
        if index in self._path:
            raise _Circle(index)
        function = self._book.rule(op)
        if function is None:
            return self._stays(index, op, args, kwargs)
        mark = len(self.leaves)
        try:
            out = self._apply(index, op, function, args, kwargs)
        except DecompositionError:
            raise
        except Exception as error:
            if isinstance(error, _Circle) and error.call != index:
                raise
            del self.leaves[mark:]
            return self._stays(index, op, args, kwargs, "raised", sentence(error))
        if out is NotImplemented:
            del self.leaves[mark:]
            reason = "its rule does not apply to these arguments"
            return self._stays(index, op, args, kwargs, reason=reason)
        return out

    def _stays(
        self, index: int, op: Any, args: Any, kwargs: Any, end: End | None = None, reason: str = ""
    ) -> Any:
        out = op(*args, **kwargs)
        way = Way(end=end or self._book.end(op), reason=reason)
        self._table.way(index, self._to, way)
        self._note(index, out)
        self.leaves.append(Leaf(op, args, kwargs, out))
        return out

    def _apply(self, index: int, op: Any, function: Any, args: Any, kwargs: Any) -> Any:
        """What a rule returns for a call, each call it makes being made through this mode."""
        scope = _Scope()
        inputs = _argument_names(op, args, kwargs)
        for name, value in inputs.items():
            scope.bind(name, value)
        self._scopes.append(scope)
        self._path.append(index)
        try:
            with self:
                out = function(*args, **kwargs)
        finally:
            self._scopes.pop()
            self._path.pop()
        if out is NotImplemented:
            return out
        rule = self._table.rule(describe(function, op))
        step, is_new = self._table.step(index, rule)
        if is_new:
            returns = scope.written(out if isinstance(out, tuple) else (out,), {})
            told = Step(
                call=index,
                rule=rule,
                inputs=tuple(inputs),
                rows=tuple(scope.rows),
                returns=returns,
            )
            self._table.tell(step, told)
        self._table.way(index, self._to, Way(step=step))
        self._note(index, out)
        return out

    def _note(self, index: int, out: Any) -> None:
        self._alive.append(out)
        known = self._table.calls[index]
        if not known.value:
            self._table.calls[index] = replace(known, value=_value_text(out))


def _value_text(out: Any) -> str:
    tensors = [leaf for leaf in pytree.tree_leaves(out) if isinstance(leaf, torch.Tensor)]
    return ", ".join(map(_tensor_text, tensors))


def _tensor_text(tensor: torch.Tensor) -> str:
    try:
        return str(layout(tensor))
    except DecompositionError:  # not dense
        return tensor_value(tensor).text


def _argument_names(op: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments by the names that the operator's schema gives them."""
    if isinstance(op, OPERATORS.OpOverload):
        names = [argument.name for argument in op._schema.arguments]
        return dict(zip(names, args, strict=False)) | kwargs
    try:
        return dict(inspect.signature(op).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):  # written in C
        return {f"argument_{place}": value for place, value in enumerate(args)} | kwargs

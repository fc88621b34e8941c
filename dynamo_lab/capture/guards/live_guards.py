"""The guards of a recording as Dynamo runs them: they live as long as the recording."""

import gc
import inspect
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

import torch
from torch import nn

from dynamo_lab.capture.core.undo import whole
from dynamo_lab.capture.core.values import PLAIN
from dynamo_lab.capture.guards.costs import Kept, by_value
from dynamo_lab.capture.guards.guard_failures import first_failing, tell
from dynamo_lab.errors import GuardsError
from dynamo_lab.model.guards.costs import GuardTime
from dynamo_lab.model.guards.guards import FailedGuard


class Checks:
    """The compiled guards of each compilation.

    They keep no inputs, no models and no generated code alive.
    """

    def __init__(self) -> None:
        self._managers: dict[str, tuple[int, Any]] = {}
        self._codes: dict[int, CodeType] = {}
        self._closures: dict[int, dict[str, Callable[[], Any]]] = {}
        self._modules: dict[int, weakref.ref[nn.Module]] = {}
        self.filters: dict[str, dict[str, Kept]] = {}
        """What PyTorch's filters would keep of a compilation's guards."""

    def keep(
        self, compile_id: str, frame: int, code: CodeType, scope: Mapping[str, Any], manager: Any
    ) -> None:
        """Remember the guards that a compilation got; `scope` are the locals that it began with."""
        self._managers[compile_id] = (frame, manager)
        self._codes[frame] = code
        self._closures[frame] = {name: _weakly(scope.get(name)) for name in code.co_freevars}
        first = scope.get(code.co_varnames[0]) if code.co_argcount else None
        if isinstance(first, nn.Module):  # whose method this is
            self._modules[frame] = weakref.ref(first)

    def frames(self) -> tuple[int, ...]:
        """The frames with guards to try."""
        return tuple(self._codes)

    def code_of(self, frame: int) -> CodeType | None:
        """The code of a frame, if it has guards."""
        return self._codes.get(frame)

    def are_forgotten(self, frame: int) -> bool:
        """Whether Dynamo has since thrown away the compiled code that these guards belong to."""
        return all(m.cache_entry is None for at, m in self._managers.values() if at == frame)

    def try_on(
        self, frame: int, args: Sequence[Any], kwargs: Mapping[str, Any], names: Mapping[str, Any]
    ) -> tuple[tuple[str, FailedGuard | None], ...]:
        """Each compilation of a frame, with the first of its guards that this call would fail.

        Compilations come in the order in which a call tries them, the newest first. `names` are
        values for what the call leaves out.

        Raises:
            GuardsError: the arguments are not those of the frame's function.
        """
        with self._called(frame, args, kwargs, names) as (made, values):
            return tuple((i, _failing(manager, values)) for i, manager in made[::-1])

    def timed(
        self, known: GuardTime, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> GuardTime | None:
        """How long the guards of a compilation take, by value; None if they fail for this call.

        Raises:
            GuardsError: the arguments are not those of its function.
        """
        frame, manager = self._managers[known.compile_id]
        with self._called(frame, args, kwargs, {}) as (_, values):
            if not manager.check(values):
                return None
            return by_value(known, manager.root, values, self.filters.get(known.compile_id, {}))

    @whole
    def _called(
        self, frame: int, args: Sequence[Any], kwargs: Mapping[str, Any], names: Mapping[str, Any]
    ) -> Iterator[tuple[list[tuple[str, Any]], dict[str, Any]]]:
        """The guards of each compilation of a frame, and the locals that this call gives it."""
        made = [(i, manager) for i, (at, manager) in self._managers.items() if at == frame]
        code = self._codes[frame]
        known: dict[str, Any] = made[0][1].global_scope["G"]
        read = _read_by_cell(code, args, kwargs, known)
        rest = {name: value for name, value in kwargs.items() if name not in read}
        values = self._locals(frame, args, rest, names)
        with _replaced(known, read):
            yield made, values

    def _locals(
        self, frame: int, args: Sequence[Any], kwargs: Mapping[str, Any], names: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The local variables with which the frame would start."""
        code = self._codes[frame]
        closure = {name: get() for name, get in self._closures[frame].items()}
        for name, value in closure.items():
            if value is _GONE:
                raise GuardsError(
                    f"{_name(code)} closes over `{name}`, which is gone: keep it, and record again."
                )
        function = _original(code) or _bare(code)
        signature = inspect.signature(function, follow_wrapped=False)
        if not args and not kwargs:
            kwargs = {name: names[name] for name in signature.parameters if name in names}
        module = self._modules.get(frame, lambda: None)()
        given = args if module is None or (args and args[0] is module) else (module, *args)
        try:
            bound = signature.bind(*given, **kwargs)
        except TypeError as error:
            raise GuardsError(
                f"{_name(code)}{signature} cannot be called like this: {error}."
            ) from None
        bound.apply_defaults()
        return {**bound.arguments, **closure}


def _read_by_cell(
    code: CodeType, args: Sequence[Any], kwargs: Mapping[str, Any], known: Mapping[str, Any]
) -> dict[str, Any]:
    """What a cell is given: it has no arguments of its own, it reads names of the notebook."""
    if code.co_name != "<module>":
        return {}
    tensors = (name for name in code.co_names if isinstance(known.get(name), torch.Tensor))
    example = f"`{next(tensors, 'x')}=torch.randn(8, 3)`"
    if args:
        raise GuardsError(
            f"A cell reads the notebook's names, so say which one is meant: {example}."
        )
    for name in kwargs:
        if name not in code.co_names:
            raise GuardsError(f"The cell reads no `{name}`: name what it reads, as in {example}.")
    return dict(kwargs)


@whole
def _replaced(namespace: dict[str, Any], values: Mapping[str, Any]) -> Iterator[None]:
    """The namespace with other values for some names, for as long as the body runs."""
    before = {name: namespace[name] for name in values if name in namespace}
    namespace.update(values)
    try:
        yield
    finally:
        for name in values.keys() - before.keys():
            del namespace[name]
        namespace.update(before)


def _failing(manager: Any, values: dict[str, Any]) -> FailedGuard | None:
    text = first_failing(manager, values)
    return None if text is None else tell(text, values, manager)


_GONE = object()


def _weakly(value: Any) -> Callable[[], Any]:
    """What gives the value, or _GONE, without keeping it alive; plain values are kept."""
    if type(value) in PLAIN:
        return lambda: value
    try:
        found = weakref.WeakMethod(value) if isinstance(value, MethodType) else weakref.ref(value)
    except TypeError:
        return lambda: _GONE  # a list or a dict, which may hold a model
    return lambda: _GONE if (held := found()) is None else held


def _name(code: CodeType) -> str:
    return code.co_name.replace("<module>", "cell")


def _bare(code: CodeType) -> FunctionType:
    """A function that only has the parameters of a code object."""
    return FunctionType(code, {}, closure=tuple(CellType() for _ in code.co_freevars))


def _original(code: CodeType) -> FunctionType | None:
    """The user's function, if it is alive: only it knows its defaults."""
    users = (user for user in gc.get_referrers(code) if isinstance(user, FunctionType))
    alike = (user for user in users if user.__code__ is code and user.__globals__)
    return next(alike, None)

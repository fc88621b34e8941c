"""The guards of a recording as Dynamo runs them: they live as long as it is held."""

import gc
import inspect
import weakref
from collections.abc import Mapping, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any

from torch import nn

from dynamo_lab.capture.failures import first_failing, tell
from dynamo_lab.errors import GuardsError
from dynamo_lab.model.guards import FailedGuard


class Checks:
    """The compiled guards of each compilation.

    They hold what a compiled function closes over, and no inputs and no generated code.
    """

    def __init__(self) -> None:
        self._managers: dict[str, tuple[int, Any]] = {}
        self._functions: dict[int, FunctionType] = {}
        self._modules: dict[int, weakref.ref[nn.Module]] = {}

    def keep(
        self, compile_id: str, frame: int, code: CodeType, scope: Mapping[str, Any], manager: Any
    ) -> None:
        """Remember the guards that a compilation got; `scope` are the locals that it began with."""
        self._managers[compile_id] = (frame, manager)
        closure = tuple(CellType(scope.get(name)) for name in code.co_freevars)
        self._functions[frame] = FunctionType(code, {}, closure=closure)
        first = scope.get(code.co_varnames[0]) if code.co_argcount else None
        if isinstance(first, nn.Module):  # whose method this is
            self._modules[frame] = weakref.ref(first)

    def frames(self) -> tuple[int, ...]:
        """The frames with guards to try."""
        return tuple(self._functions)

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
        values = self._locals(frame, args, kwargs, names)
        made = [(i, manager) for i, (at, manager) in self._managers.items() if at == frame]
        return tuple((compile_id, _failing(manager, values)) for compile_id, manager in made[::-1])

    def _locals(
        self, frame: int, args: Sequence[Any], kwargs: Mapping[str, Any], names: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The local variables with which the frame would start."""
        function = self._functions[frame]
        code = function.__code__
        signature = inspect.signature(_original(code) or function, follow_wrapped=False)
        if not args and not kwargs:
            kwargs = {name: names[name] for name in signature.parameters if name in names}
        module = self._modules.get(frame, lambda: None)()
        given = args if module is None or (args and args[0] is module) else (module, *args)
        try:
            bound = signature.bind(*given, **kwargs)
        except TypeError as error:
            raise GuardsError(
                f"{code.co_name}{signature} cannot be called like this: {error}."
            ) from None
        bound.apply_defaults()
        return {**bound.arguments, **inspect.getclosurevars(function).nonlocals}


def _failing(manager: Any, values: dict[str, Any]) -> FailedGuard | None:
    text = first_failing(manager, values)
    return None if text is None else tell(text, values, manager)


def _original(code: CodeType) -> FunctionType | None:
    """The function that the reader wrote, if it lives: it alone knows its defaults."""
    users = (user for user in gc.get_referrers(code) if isinstance(user, FunctionType))
    alike = (user for user in users if user.__code__ is code and user.__globals__)
    return next(alike, None)

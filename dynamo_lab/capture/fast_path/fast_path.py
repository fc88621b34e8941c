"""The fast path in what Dynamo analyses: it interprets the module's own `forward`."""

import traceback
from collections.abc import Generator, Iterator
from typing import Any

from msgspec.structs import replace

from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.fast_path import hooks
from dynamo_lab.capture.fast_path.words import FORWARDS, made_so, variable_of
from dynamo_lab.capture.graphs.nodes import readable_path
from dynamo_lab.model.fast_path.calls import OPERATORS, FastPath, FastPathCall


class FastPathProbes:
    """Records each call in an attempt that succeeds, and those in which one before it broke.

    An attempt that fails is made again; where it met a break inside of a call, without that call.
    """

    def __init__(self, recorder: Recorder, compilations: Compilations) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._calls: list[FastPath] = []
        self._open = 0
        self._broken: dict[str, list[FastPath]] = {}

    def install(self, patches: Patches) -> None:
        """Watch Dynamo's attempts, and its interpreter for each function in them."""
        patches.hook(hooks.ATTEMPT, self.attempt)
        patches.hook(hooks.RUN, self.run)

    def attempt(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """Dynamo analyses a frame once."""
        outer = self._calls, self._open
        self._calls, self._open = [], 0
        broken = self._broken.setdefault(self._compilations.current_id(), [])
        try:
            yield
        except BaseException:
            broken += [call for call in self._calls if call.cut]
            raise
        else:
            self._recorder.fast_paths += (*broken, *self._calls)
        finally:
            self._calls, self._open = outer

    def run(self, translator: Any) -> Generator[None, Any, None]:
        """Dynamo interprets a function from its first instruction to its last."""
        kind = FORWARDS.get(translator.f_code)
        if kind is None:
            return
        position, module = len(self._calls), _module(translator)
        before = next(iter(reversed(translator.output.graph.nodes)), None)
        called = FastPathCall(kind=kind, taken=False, module=_path(translator), depth=self._open)
        frame = self._compilations.frame_of(self._compilations.current_id()) or 0
        self._calls.append(FastPath(frame=frame, call=called, stack=self._stack(translator)))
        self._open += 1
        try:
            yield
        except BaseException as error:
            cut = isinstance(error, hooks.UNSUPPORTED.get())
            self._calls[position] = replace(self._calls[position], cut=cut)
            raise
        finally:
            self._open -= 1
        reason = _reason(translator)
        taken = any(_calls(node, OPERATORS[kind]) for node in _added(translator, before))
        self._calls[position] = replace(
            self._calls[position],
            call=replace(called, taken=taken, reason=reason, made_so=made_so(module, reason)),
        )

    def _stack(self, translator: Any) -> int | None:
        """The lines that lead to the call, outermost first."""
        summaries = list(_callers(translator))[::-1]
        return self._recorder.texts.stack_of_summary(summaries) if summaries else None


def _callers(translator: Any) -> Iterator[traceback.FrameSummary]:
    at = getattr(translator, "parent", None)
    while at is not None:
        yield at.frame_summary()
        at = getattr(at, "parent", None)


def _module(translator: Any) -> Any:
    """The module itself, None where Dynamo does not have it."""
    return getattr(translator.symbolic_locals.get("self"), "value", None)


def _path(translator: Any) -> str:
    found = [path for path, _ in translator.nn_module_stack.values()]
    return readable_path(found[-1]) if found else ""


def _reason(translator: Any) -> str:
    """The words in PyTorch's variable, empty if it has none, or if they are not constant."""
    name = variable_of(translator.symbolic_locals)
    held = None if name is None else translator.symbolic_locals[name]
    if held is None or not held.is_python_constant():
        return ""
    return str(held.as_python_constant())


def _added(translator: Any, before: Any) -> Iterator[Any]:
    """The nodes that came into the graph after this one."""
    for node in reversed(translator.output.graph.nodes):
        if node is before:
            return
        yield node


def _calls(node: Any, operator: str) -> bool:
    return getattr(node.target, "__name__", "") == operator

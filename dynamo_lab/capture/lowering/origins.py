"""Origins: which node of the lowered graph each operation of a loop body came from.

A loop is a Python function that Inductor runs whenever it needs to know what the loop does: to
count its reads, to trace it into a loop body, inside the loop that it is inlined into. Such a
function runs under the node that was lowered when the loop was made, and each operation that is
traced stores the innermost node. So an operation knows its origin even if many nodes became one
loop.
"""

import inspect
import threading
from collections.abc import Callable, Generator
from typing import Any

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.lowering import hooks

_ORIGIN = "dynamo_lab_origin"
_STORES = ("store_output", "store_reduction")


def origin_of(body_node: Any) -> str | None:
    """The name of the node of the lowered graph that an operation of a loop body came from."""
    return body_node.meta.get(_ORIGIN)


def made_by(loops: Any) -> str | None:
    """The name of the node that was being lowered when a loop was made."""
    return getattr(loops, _ORIGIN, None)


class OriginProbes:
    """Marks operations with their nodes. Wrapping a loop's function changes nothing it computes."""

    def __init__(self) -> None:
        self._local = threading.local()

    def install(self, patches: Patches) -> None:
        """Watch where loops are made, where they store, and where their bodies are traced."""
        patches.hook(hooks.LOOPS_MADE, self.made)
        patches.hook(hooks.OPERATION_TRACED, self.traced)
        loops = hooks.LOOPS.get()
        for kind in vars(hooks.IR_MODULE.get()).values():
            if inspect.isclass(kind) and issubclass(kind, loops):
                for name in _STORES:
                    if name in vars(kind):
                        patches.watch(kind, name, self.stored)

    @property
    def _running(self) -> list[str]:
        if not hasattr(self._local, "running"):
            self._local.running = []
        return self._local.running

    def made(self, loops: Any, *_: Any) -> Generator[None, Any, None]:
        """A loop is made: its function runs under the node that is being lowered."""
        yield
        node = hooks.CURRENT_NODE.of(hooks.VIRTUALIZED.get().graph)
        if node is None:
            return
        loops._post_init_setattr(_ORIGIN, node.name)
        loops._post_init_setattr("inner_fn", self._under(node.name, loops.inner_fn))
        if hooks.INNER_FUNCTIONS.of(loops):  # of a scan or a sort, which have several
            functions = tuple(self._under(node.name, function) for function in loops.inner_fns)
            loops._post_init_setattr("inner_fns", functions)

    def _under(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def stamped(*args: Any, **kwargs: Any) -> Any:
            running = self._running
            running.append(name)
            try:
                return function(*args, **kwargs)
            finally:
                running.pop()

        return stamped

    def stored(self, loops: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A loop reduces or stores what its function computed."""
        name = made_by(loops)
        if name is None:
            yield
            return
        self._running.append(name)
        try:
            yield
        finally:
            self._running.pop()

    def traced(self, tracer: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """An operation is traced: from a loop's function, or again from a body made before."""
        node = yield
        if self._running:
            node.meta[_ORIGIN] = self._running[-1]
        else:
            again = hooks.CURRENT_OPERATION.of(hooks.VIRTUALIZED.get().interpreter)
            if again is not None and _ORIGIN in again.meta:
                node.meta[_ORIGIN] = again.meta[_ORIGIN]

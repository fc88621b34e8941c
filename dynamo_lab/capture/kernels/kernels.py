"""Kernels: the code Inductor generates, the nodes it came from, and the wrapper that calls it."""

import textwrap
from collections.abc import Callable, Generator, Iterable
from typing import Any

from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.hooks import OPERATORS
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.private import ABSENT
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.kernels import hooks
from dynamo_lab.capture.kernels.kernel_text import QUOTED, definitions, language_of
from dynamo_lab.capture.kernels.views import calls_view
from dynamo_lab.capture.lowering.hooks import PARENT, VIRTUALIZED
from dynamo_lab.capture.lowering.inductor_ir import called_by_wrapper, parts_of
from dynamo_lab.capture.lowering.lowering import LoweringProbes
from dynamo_lab.capture.packages.archive import calls
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.kernels import Kernel, Wrapper


class KernelProbes:
    """Records kernels. One name within one graph is one kernel, however often it is called."""

    def __init__(
        self, recorder: Recorder, compilations: Compilations, lowering: LoweringProbes
    ) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._lowering = lowering
        self._kernels: dict[tuple[int | None, str], int] = {}
        self._texts: dict[tuple[int | None, str], str] = {}
        self._written = 0.0
        self.on_called: Callable[[int, str, Any], None] = lambda kernel, name, schedule: None
        """Called with a kernel's id and name, and the scheduler nodes that a call is made for."""
        self.on_line: Callable[[str, Any], None] = lambda line, node: None
        """Called with a line of a wrapper that calls a library, where it is a plain text."""

    def install(self, patches: Patches) -> None:
        """Watch the definition and the calls of kernels, and the finished wrapper."""
        patches.hook(hooks.CALLED, self.called)
        _, name = hooks.CALLED.place()
        for caller in hooks.CALLERS:
            if caller.exists and name in vars(caller.get()):
                patches.watch(caller.get(), name, self.called)
        for row in hooks.UNTOLD:
            patches.hook(row, self.called_untold)
        patches.hook(hooks.DEFINED, self.defined)
        patches.hook(hooks.DEFINED_METAL, self.defined_metal)
        patches.hook(hooks.GENERATED, self.generated)
        patches.hook(hooks.CODE_WRITTEN, self.code_begins)

    def code_begins(self, *_: Any) -> Generator[None, Any, None]:
        """Fusions are decided: what follows writes one kernel after another."""
        self._written = self._recorder.now()
        yield

    def called(
        self, node_schedule: Any, kernel_name: str | None, is_extern: bool = False, **_: Any
    ) -> Generator[None, Any, None]:
        """The wrapper gets a call of a kernel, made from these scheduler nodes."""
        graph = self._lowering.current_graph
        is_work = not (is_extern and calls_view(node_schedule))
        if kernel_name and graph is not None and is_work:
            kernel = self._kernel(graph, kernel_name, is_extern=is_extern)
            known = self._recorder.kernels[kernel]
            nodes = sorted({*known.nodes, *_origins(node_schedule, graph)})
            buffers = dict.fromkeys((*known.buffers, *_buffers(node_schedule)))
            changes = {
                "nodes": tuple(nodes),
                "calls": known.calls + 1,
                "buffers": tuple(buffers),
                "written_in": (known.written_in or 0.0) + self._seconds_since_last(),
            }
            self._recorder.update(self._recorder.kernels, kernel, **changes)
            self.on_called(kernel, kernel_name, node_schedule)
        yield

    def called_untold(self, node: Any, wrapper: Any, *_: Any) -> Generator[None, Any, None]:
        """The wrapper gets a call of a library as a line, often a plain text."""
        first, name = len(wrapper.lines), called_by_wrapper(node)
        yield from self.called(node, name, is_extern=True)
        line = wrapper.lines[first] if len(wrapper.lines) > first else None
        graph = self._lowering.current_graph
        if isinstance(line, str) and graph is not None:
            self._texts.setdefault((graph.id, name), line)
            self.on_line(line, node)

    def _seconds_since_last(self) -> float:
        """The seconds since the kernel before: each is called for as soon as it is written."""
        before, self._written = self._written, self._recorder.now()
        return round(self._written - before, 6) if before else 0.0

    def defined(
        self, wrapper: Any, kernel_name: str, kernel_body: str, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """The wrapper gets the definition of a kernel."""
        kernel = self._kernel(self._lowering.current_graph, kernel_name)
        quoted = QUOTED.search(kernel_body)
        changes = {
            "code": (quoted[2] if quoted else kernel_body).strip("\n"),
            "language": language_of(kernel_body),
        }
        self._recorder.update(self._recorder.kernels, kernel, **changes)
        yield

    def defined_metal(
        self, scheduling: Any, source: str, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """A Metal kernel goes past the wrapper's definitions, into a library of all of them."""
        name = yield
        if isinstance(name, str):
            kernel = self._kernel(self._lowering.current_graph, name)
            quoted = QUOTED.search(source)
            code = textwrap.dedent(quoted[2] if quoted else source).strip("\n")
            changes = {"code": code, "language": "metal"}
            self._recorder.update(self._recorder.kernels, kernel, **changes)

    def generated(self, lowering: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """Inductor has written the whole module for a graph."""
        result = yield
        code = getattr(result[0], "value", None)
        if not isinstance(code, str):
            return
        graph = self._lowering.current_graph
        wrapper = Wrapper(
            id=len(self._recorder.wrappers),
            graph=graph.id if graph else None,
            compile_id=self._compilations.current_id(),
            is_backward=bool(hooks.IS_BACKWARD.of(lowering)),
            code=code,
        )
        self._recorder.wrappers.append(wrapper)
        lines = {name: line for name, (line, _) in calls(code).items()} | {
            name: line for name, (line, _) in definitions(code).items()
        }
        written = {line.strip(): at for at, line in reversed([*enumerate(code.split("\n"), 1)])}
        for (owner, name), kernel in self._kernels.items():
            if owner == wrapper.graph:
                text = self._texts.get((owner, name), "").strip()
                changes = {"wrapper": wrapper.id, "line": lines.get(name) or written.get(text)}
                self._recorder.update(self._recorder.kernels, kernel, **changes)

    def known(self, graph: Graph | None, name: Any) -> int | None:
        """The id of the kernel of this name in a graph, if there is one."""
        return self._kernels.get((graph.id if graph else None, name))

    def _kernel(self, graph: Graph | None, name: str, *, is_extern: bool = False) -> int:
        key = (graph.id if graph else None, name)
        if key not in self._kernels:
            self._kernels[key] = len(self._recorder.kernels)
            self._recorder.kernels.append(
                Kernel(
                    id=self._kernels[key],
                    name=name,
                    language="extern" if is_extern else "other",
                    graph=key[0],
                    wrapper=None,
                    calls=0,
                )
            )
        return self._kernels[key]


def _origins(schedule: Any, graph: Graph) -> Iterable[int]:
    """The indices of the nodes that scheduler nodes, or one extern kernel, were lowered from.

    What is inside a body came from the operator around it. All that this operator reads is an
    origin there too, and a node of the body may have the name of a node outside.
    """
    index = {name: i for i, name in enumerate(graph.nodes.name)}
    is_body = PARENT.of(VIRTUALIZED.get().graph) is not ABSENT
    for item in parts_of(schedule):
        lowered = getattr(item, "node", item)
        found = sorted(
            index[origin.name]
            for origin in getattr(lowered, "origins", ()) or ()
            if origin.name in index and (not is_body or _is_around(origin))
        )
        # a library or a template computes one operator: the others make its inputs
        yield from (
            found[-1:] if lowered is item or isinstance(lowered, hooks.TEMPLATE.get()) else found
        )


def _is_around(origin: Any) -> bool:
    return isinstance(origin.target, OPERATORS.HigherOrderOperator)


def _buffers(schedule: Any) -> Iterable[str]:
    """The names of the buffers that scheduler nodes, or one extern kernel, make."""
    for item in parts_of(schedule):
        if hasattr(item, "get_buffer_names"):
            yield from sorted(item.get_buffer_names())
        elif hasattr(item, "get_name"):
            yield item.get_name()

"""The operations of an Inductor scheduler: what each is, reads, and must come after."""

from collections.abc import Sequence
from typing import Any

from dynamo_lab.capture.lowering.hooks import IR as ir
from dynamo_lab.capture.lowering.inductor_ir import kernel_of
from dynamo_lab.model.fusion.fusion import Operation, OperationKind
from dynamo_lab.model.graphs import Graph


class Operations:
    """Reads operations from scheduler nodes."""

    def __init__(self, nodes: Sequence[Any], graph: Graph) -> None:
        self._nodes = nodes
        self._origins = {name: i for i, name in enumerate(graph.nodes.name)}
        self._makers = {
            buffer: index for index, node in enumerate(nodes) for buffer in node.get_buffer_names()
        }

    def all(self) -> tuple[Operation, ...]:
        """Each operation, in order."""
        return tuple(self._operation(index, node) for index, node in enumerate(self._nodes))

    def _operation(self, index: int, node: Any) -> Operation:
        lowered = node.node
        after, weak = self._dependencies(index, node)
        own = node.get_buffer_names()
        named = {origin.name for origin in getattr(lowered, "origins", ()) or ()}
        device = node.get_device()
        kind = _operation_kind(node)
        return Operation(
            name=str(node.get_name()),
            buffers=tuple(map(str, own)),
            kind=kind,
            device=str(device or ""),
            nodes=tuple(sorted(self._origins[name] for name in named & self._origins.keys())),
            reads=tuple(str(name) for name in node.used_buffer_names() if name not in own),
            after=after,
            weak=weak,
            call=_call(lowered) if kind in ("extern", "template") else "",
        )

    def _dependencies(self, index: int, node: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        hard: set[int] = set()
        weak: set[int] = set()
        for dep in node.read_writes.reads | node.unmet_dependencies:
            maker = self._makers.get(dep.name)
            if maker is not None and maker != index:
                (weak if type(dep).__name__ == "WeakDep" else hard).add(maker)
        return tuple(sorted(hard | weak)), tuple(sorted(weak - hard))


def _operation_kind(node: Any) -> OperationKind:
    name = type(node).__name__
    if node.is_template():
        return "template"
    if name == "NopKernelSchedulerNode":
        return "nop"
    if node.is_extern():
        return "extern"
    if name != "SchedulerNode":
        return "other"
    if type(getattr(node.node, "data", None)).__name__ in ("Scan", "Sort"):
        return "scan"
    return "reduction" if node.is_reduction() else "pointwise"


def _call(lowered: Any) -> str:
    if isinstance(lowered, ir.MultiOutput):
        return f"a result of {lowered.inputs[0].get_name()}"
    cpp = getattr(lowered, "cpp_kernel_name", None)
    return str(kernel_of(lowered) or cpp or type(lowered).__name__)

"""A node table from rows, and what the samples share."""

from dataclasses import dataclass, field

from msgspec.structs import replace

from dynamo_lab.model.frames import Instruction
from dynamo_lab.model.graphs import Graph, NodeTable, Stage, Value

F32 = Value(dtype="torch.float32", shape=("8", "8"), stride=("8", "1"), device="cpu", bytes=256)
SCALAR = Value(dtype="torch.float32", shape=(), device="cpu", bytes=4)
BOOL = Value(dtype="torch.bool", shape=(), device="cpu", bytes=1)
NONE = Value()

Row = tuple[str, str, str, str, tuple[int, ...], Value, int]
"""Name, op, target, arguments, inputs, value, stack."""


@dataclass
class Table:
    """Rows on their way to a NodeTable."""

    rows: list[Row] = field(default_factory=list[Row])
    modules: list[str] = field(default_factory=list[str])
    sources: dict[int, str] = field(default_factory=dict[int, str])

    def node(
        self,
        name: str,
        target: str,
        *inputs: int,
        value: Value = F32,
        stack: int = -1,
        module: str = "",
        op: str = "call_function",
        arguments: str = "",
    ) -> int:
        """Append a node and return its index."""
        shown = arguments or ", ".join(self.rows[i][0] for i in inputs)
        self.rows.append((name, op, target, shown, inputs, value, stack))
        self.modules.append(module)
        return len(self.rows) - 1

    def input(self, name: str, value: Value = F32, source: str = "") -> int:
        """Append a placeholder."""
        at = self.node(name, name, value=value, op="placeholder")
        if source:
            self.sources[at] = source
        return at

    def output(self, *inputs: int) -> int:
        """Append the output."""
        return self.node("output", "output", *inputs, value=NONE, op="output")

    def freeze(self) -> NodeTable:
        """The columns, pooled."""
        strings: dict[str, int] = {}
        values: dict[Value, int] = {}

        def pooled(text: str) -> int:
            return strings.setdefault(text, len(strings))

        return NodeTable(
            name=tuple(row[0] for row in self.rows),
            op=tuple(pooled(row[1]) for row in self.rows),
            target=tuple(pooled(row[2]) for row in self.rows),
            arguments=tuple(row[3] for row in self.rows),
            inputs=tuple(row[4] for row in self.rows),
            value=tuple(values.setdefault(row[5], len(values)) for row in self.rows),
            stack=tuple(row[6] for row in self.rows),
            module=tuple(pooled(module) for module in self.modules),
            sources=self.sources,
            strings=tuple(strings),
            values=tuple(values),
        )


def graph(
    number: int, table: Table, stage: Stage = "dynamo", frame: int = 0, backward: bool = False
) -> Graph:
    """A graph of the sample's frame."""
    return Graph(
        id=number,
        stage=stage,
        name=f"graph_{number}",
        compile_id=f"{frame}/0",
        frame=frame,
        is_backward=backward,
        nodes=table.freeze(),
    )


def with_columns(graph: Graph) -> Graph:
    """The same where the stacks of its nodes are spans with columns."""
    return replace(graph, expressions=graph.nodes.stack)


def code(*steps: tuple[str, str, int]) -> tuple[Instruction, ...]:
    """Instructions two bytes apart: (opname, argument, line)."""
    return tuple(Instruction(2 * i, name, arg, line) for i, (name, arg, line) in enumerate(steps))


KERNEL_CODE = """\
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{
    for (int64_t x0 = 0; x0 < 64; ++x0) out_ptr0[x0] = in_ptr0[x0] + 1.0f;
}"""

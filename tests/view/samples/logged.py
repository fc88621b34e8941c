"""A program with what PyTorch logged of it: tied to views, to a line, and to nothing."""

from msgspec.structs import replace

from dynamo_lab.model.logs import LogRecord
from dynamo_lab.model.recording import Recording

from .branch_and_print import branch_and_print


def logged() -> Recording:
    """Messages of a break, a graph, code and a log without a view."""
    recording = branch_and_print()
    broke, graph = recording.breaks[0], recording.graphs[0]
    return replace(
        recording,
        logs=(
            LogRecord(
                name="graph_breaks",
                text="Graph break in user code at cell.py:5\nGraph Break Reason: as above",
                compile_id=broke.compile_id,
                place="torch/_dynamo/symbolic_convert.py:5124",
                span=broke.span,
            ),
            LogRecord(
                name="graph_code",
                text="TRACED GRAPH\n ===== a =====\n class GraphModule(torch.nn.Module):",
                compile_id=graph.compile_id,
                place="torch/_dynamo/output_graph.py:2835",
            ),
            LogRecord(name="sym_node", text="eval s77 > 2", level="I", compile_id="0/0_1"),
            LogRecord(name="perf_hints", text="x" * 20, left_out=5),
        ),
    )

"""Which compilation is running, of which frame: the connection of all other facts."""

from typing import Any

from dynamo_lab.capture.core.hooks import COMPILE_CONTEXT
from dynamo_lab.model.graphs import Graph


class Compilations:
    """Knows, for each of Dynamo's compile ids ("0/1"), its frame and the graph captured last."""

    def __init__(self) -> None:
        self._frames: dict[str, int] = {}
        self._graphs: dict[str, int] = {}

    def current_id(self) -> str:
        """Dynamo's id of the compilation that runs in this thread, empty outside of one."""
        compile_id: Any = COMPILE_CONTEXT.get()()
        return str(compile_id) if compile_id is not None else ""

    def begin(self, compile_id: str, frame: int) -> None:
        """A frame is being compiled under this id."""
        self._frames[compile_id] = frame

    def frame_of(self, compile_id: str) -> int | None:
        """The frame that a compile id belongs to."""
        return self._frames.get(compile_id)

    def captured(self, graph: Graph) -> None:
        """Dynamo handed this graph to the backend."""
        self._graphs[graph.compile_id] = graph.id

    def take_graph(self, compile_id: str) -> int | None:
        """The graph captured since the last call, if any: an attempt makes at most one."""
        return self._graphs.pop(compile_id, None)

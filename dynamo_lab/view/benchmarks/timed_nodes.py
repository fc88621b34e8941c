"""The nodes that a kernel computes at one call site."""

from dynamo_lab.model.benchmarks import KernelTime
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import NodeKey


class TimedNodes:
    """Which nodes a kernel computes where it is called: a library kernel serves many lines."""

    def __init__(self, recording: Recording) -> None:
        self._kernels = recording.kernels
        self._buffers = {(one.graph, one.name): one.nodes for one in recording.buffers}

    def of(self, one: KernelTime) -> tuple[NodeKey, ...]:
        """The nodes of the buffers that this call makes, else all nodes of the kernel."""
        kernel = self._kernels[one.kernel]
        if kernel.graph is None:
            return ()
        made = [
            node for name in one.buffers for node in self._buffers.get((kernel.graph, name), ())
        ]
        return tuple((kernel.graph, node) for node in dict.fromkeys(made or kernel.nodes))

"""Lines of generated code that know the nodes that they were generated for.

Inductor writes a kernel line by line into buffers, which it nests until the text is complete. A
line that is written for an operation of a loop body is a string that also knows the operation's
node, and stays one while it moves. The text itself is unchanged, so identical kernels are still
found to be identical.
"""

import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from typing import Any, Protocol

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.kernels import hooks
from dynamo_lab.capture.lowering.hooks import CURRENT_OPERATION, VIRTUALIZED
from dynamo_lab.capture.lowering.origins import origin_of

Nodes = dict[str, None]
"""Names of nodes, in the order in which they asked. Copies of a line share it: a value that is
computed once can be asked for again when its line has long moved on."""

Text = Sequence[tuple[str | None, Nodes]]
"""The lines of a finished text; None for one whose words were not settled when it was written."""

_VALUE = "dynamo_lab_nodes"
_KEPT = 16  # texts: a finished kernel is one of the last


class Buffer(Protocol):
    """What is read of an IndentedBuffer."""

    _lines: list[Any]


class TracedLine(str):
    """A line of code, with the nodes it was written for."""

    __slots__ = ("nodes",)
    nodes: Nodes

    def __getitem__(self, key: Any) -> "TracedLine":  # a buffer cuts the indentation off
        return written(str.__getitem__(self, key), self.nodes)


def written(text: str, nodes: Nodes) -> TracedLine:
    """The text, as written for these nodes."""
    line = TracedLine(text)
    line.nodes = nodes
    return line


class _Written(threading.local):
    """What a thread wrote since it was last asked, and whether it writes an index."""

    def __init__(self) -> None:
        self.texts: deque[Text] = deque(maxlen=_KEPT)
        self.lines: list[tuple[str, str]] = []
        self.is_index = False


class OriginTracker:
    """Listens to what each thread writes: tens of thousands of lines, so little is done for one."""

    def __init__(self) -> None:
        self._local = _Written()
        self._virtualized: Any = None

    def install(self, patches: Patches) -> None:
        """Hear each line that is written, each value that is asked for, and each finished text."""
        self._virtualized = VIRTUALIZED.get()
        patches.hear(hooks.WRITE_LINE, self.line_written)
        patches.hear(hooks.MAKE_TEXT, self.text_made)
        patches.hear(hooks.ASK_VALUE, self.value_asked)
        patches.hook(hooks.METAL_INDEX, self.index_written)
        patches.hook(hooks.TRITON_INDEX, self.index_written)
        patches.hook(hooks.RENAMED, self.renamed)
        patches.hook(hooks.RENAMED_SUM, self.renamed)
        patches.hook(hooks.MOVED, self.moved)
        patches.hear(hooks.ACCUMULATOR, self.accumulator_made)
        patches.hook(hooks.ACCUMULATORS, self.accumulators_written)

    def taken(self) -> tuple[list[tuple[str, str]], list[Text]]:
        """Lines with a node, and texts with their lines, that this thread made since last asked."""
        local = self._local
        made = list(local.lines), list(local.texts)
        local.lines.clear()
        local.texts.clear()
        return made

    def _node(self) -> str | None:
        """The node whose operation this thread writes code for."""
        operation = CURRENT_OPERATION.of(self._virtualized.interpreter)
        if operation is None or self._local.is_index:
            return None
        return origin_of(operation)

    def line_written(self, _: None, buffer: Buffer, line: Any) -> None:
        """A line was written, or moved here from another buffer."""
        nodes = None if type(line) is str else _nodes_of(line)  # often called
        if nodes is None:
            node = self._node()
            if node is None:
                return
            nodes = {node: None}
            text = str(getattr(line, "line", line))
            self._local.lines.extend((part, node) for part in text.split("\n"))
        buffer._lines[-1] = _with(buffer._lines[-1], nodes)

    def value_asked(
        self, value: Any, _: Any, buffer: Buffer, expression: Any, write: bool = True, **__: Any
    ) -> None:
        """An operation asks for a value: it was written just now, or when first asked for."""
        node = self._node()
        if node is None or value is expression:
            return
        nodes = getattr(value, _VALUE, None)
        if nodes is not None:
            nodes[node] = None
        elif write and buffer._lines:
            setattr(value, _VALUE, _nodes_of(buffer._lines[-1]))

    def index_written(self, *_: Any) -> Generator[None, Any, None]:
        """An index is written where it is first needed; it is there for all that need it."""
        self._local.is_index = True
        try:
            yield
        finally:
            self._local.is_index = False

    def renamed(self, buffer: Buffer, *_: Any) -> Generator[None, Any, None]:
        """The text of lines is changed in place."""
        nodes = [_nodes_of(line) for line in buffer._lines]
        yield
        _restore(buffer._lines, nodes)

    def moved(self, code: Buffer, *_: Any) -> Generator[None, Any, None]:
        """Lines are changed and put into a new loop."""
        nodes = [_nodes_of(line) for line in code._lines]
        loop = yield
        head = 2  # the loop and its brace
        inside = loop._lines[head : head + len(nodes)]
        _restore(inside, nodes)
        loop._lines[head : head + len(nodes)] = inside

    def accumulator_made(self, declaration: Any, *_: Any, **__: Any) -> None:
        """An accumulator's declaration is put off until its loop is known."""
        node = self._node()
        if node is not None:
            setattr(declaration, _VALUE, {node: None})

    def accumulators_written(self, kernel: Any, *_: Any) -> Generator[None, Any, None]:
        """All declarations that were put off are written, one after the other, equally long."""
        before = len(kernel.reduction_prefix._lines)
        yield
        lines = kernel.reduction_prefix._lines
        each = (len(lines) - before) // (len(kernel.reduction_prefix_generators) or 1)
        for at, declaration in enumerate(kernel.reduction_prefix_generators):
            nodes = getattr(declaration, _VALUE, None)
            start = before + at * each
            lines[start : start + each] = [
                _with(line, nodes) if nodes else line for line in lines[start : start + each]
            ]

    def text_made(self, _: Any, buffer: Buffer) -> None:
        """A buffer was made into one text."""
        if any(_nodes_of(line) is not None for line in buffer._lines):
            self._local.texts.append(list(_expanded(buffer._lines)))


def _nodes_of(line: Any) -> Nodes | None:
    text = getattr(line, "line", line)  # of a line that may be taken back later
    return text.nodes if isinstance(text, TracedLine) else None


def _with(line: Any, nodes: Nodes) -> Any:
    if isinstance(line, str):
        return written(line, nodes) if line else line
    if hasattr(line, "line"):
        line.line = written(line.line, nodes)
    return line


def _restore(lines: list[Any], nodes: Sequence[Nodes | None]) -> None:
    for i, (line, known) in enumerate(zip(lines, nodes, strict=False)):
        if known is not None:
            lines[i] = _with(line, known)


def nodes_by_line(code: str, texts: Sequence[Text]) -> list[Nodes] | None:
    """For each line of a kernel the nodes it was written for, if it is one of these texts.

    Between the text and the kernel, names of kernels are filled in, and quotes around it taken off.
    """
    wanted = [line.strip() for line in code.split("\n")]
    full = [i for i, text in enumerate(wanted) if text] or [0]
    first, last = full[0], full[-1] + 1
    for made in reversed(texts):
        for start in range(len(made) - (last - first) + 1):
            window = made[start : start + last - first]
            if _is_same(window, wanted[first:last]):
                blank: list[Nodes] = [{}]
                stamps = [nodes for _, nodes in window]
                return blank * first + stamps + blank * (len(wanted) - last)
    return None


def _is_same(made: Text, wanted: Sequence[str]) -> bool:
    """Whether what was written stands where it is wanted."""
    return any(nodes for _, nodes in made) and all(
        not nodes or text in (None, want) for (text, nodes), want in zip(made, wanted, strict=True)
    )


def _expanded(lines: Sequence[Any]) -> Iterator[tuple[str | None, Nodes]]:
    """Each line of the text that a buffer makes now: later, it may take other lines back."""
    deferred = hooks.DEFERRED_LINE.get()
    for entry in lines:
        nodes = _nodes_of(entry) or {}
        if isinstance(entry, str):
            yield from ((part.strip(), nodes) for part in entry.split("\n"))
        elif isinstance(entry, deferred):
            text = entry()  # None once the buffer that it stores to is removed
            if text is not None:
                yield text.strip(), nodes
        elif hasattr(entry, "line"):
            yield None, nodes

"""Kernels with their code, and the wrappers that call them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model import targets
from dynamo_lab.model.kernels import Kernel, Statement, Wrapper
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import Ancestry, NodeKey
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.origins import where_of
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.words import percent, unique
from dynamo_lab.view.kernels.assembly import AssemblyView, assembly_view
from dynamo_lab.view.kernels.titles import KernelTitles


class KernelView(Struct, frozen=True, kw_only=True):
    """One kernel. `operators` names the ATen operators it fused.

    `origins` are (line of the code, source, line in it): the user's line that a statement is
    for, the one that most of its nodes come from. A statement that serves several lines is
    not among them, but counts in `coverage`. `notes` are
    the recorder's remarks on the nodes that it computes.
    """

    id: int
    name: str
    title: str
    language: str
    graph: int | None
    wrapper: int | None
    nodes: tuple[int, ...]
    operators: tuple[str, ...]
    where: str
    code: str
    line: int | None
    calls: int = 1
    is_backward: bool = False
    buffers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    origins: tuple[tuple[int, int, int], ...] = ()
    coverage: str = ""


class WrapperView(Struct, frozen=True, kw_only=True):
    """The module Inductor wrote for one graph."""

    id: int
    title: str
    language: str
    code: str
    graph: int | None


class KernelsView(Struct, frozen=True, kw_only=True):
    """`empty` explains in one sentence why there is no kernel, where there is none.

    `gpus` are the targets that Triton kernels can be assembled for, the recording's first.
    """

    kernels: tuple[KernelView, ...]
    wrappers: tuple[WrapperView, ...]
    empty: str = ""
    assemblies: tuple[AssemblyView, ...] = ()
    gpus: tuple[str, ...] = ()


def build(recording: Recording, places: Places, ancestry: Ancestry) -> KernelsView:
    """The kernels, each with its operators and the user's lines it came from."""
    titles = GraphTitles(recording).titles
    named = KernelTitles(recording, ancestry)
    return KernelsView(
        kernels=tuple(_kernel(k, recording, places, ancestry, named) for k in recording.kernels),
        wrappers=tuple(_wrapper(wrapper, titles) for wrapper in recording.wrappers),
        empty="" if recording.kernels or recording.training else _why_none(recording),
        assemblies=tuple(assembly_view(assembly) for assembly in recording.assemblies),
        gpus=_gpus(recording),
    )


def _kernel(
    kernel: Kernel, recording: Recording, places: Places, ancestry: Ancestry, named: KernelTitles
) -> KernelView:
    ancestors = ancestors_of(kernel, ancestry)
    lines = _lines_of_statements(kernel, recording, places, ancestry)
    return KernelView(
        id=kernel.id,
        name=kernel.name,
        title=named.of(kernel),
        language=kernel.language,
        graph=kernel.graph,
        wrapper=kernel.wrapper,
        nodes=kernel.nodes,
        operators=_operators(kernel, recording),
        where=where_of(ancestors, recording, places),
        code=kernel.code,
        line=kernel.line,
        calls=kernel.calls,
        is_backward=kernel.graph is not None and recording.graphs[kernel.graph].is_backward,
        notes=_notes(kernel, recording),
        buffers=kernel.buffers,
        statements=kernel.statements,
        origins=tuple(_origins(kernel.statements, lines)),
        coverage=_coverage(sum(map(bool, lines)), len(lines)),
    )


def _notes(kernel: Kernel, recording: Recording) -> tuple[str, ...]:
    return tuple(
        note.message
        for note in recording.notes
        if note.node is not None and note.graph == kernel.graph and note.node in kernel.nodes
    )


def _lines_of_statements(
    kernel: Kernel, recording: Recording, places: Places, ancestry: Ancestry
) -> list[Counter[Line]]:
    """For each statement the user's lines that its nodes come from, and how many of each."""
    known: dict[int, Line | None] = {}
    for node in {node for statement in kernel.statements for node in statement.nodes}:
        if kernel.graph is not None:
            known[node] = _home((kernel.graph, node), recording, places, ancestry)
    return [
        Counter(line for node in statement.nodes if (line := known.get(node)))
        for statement in kernel.statements
    ]


def _origins(
    statements: Iterable[Statement], lines: Iterable[Counter[Line]]
) -> Iterator[tuple[int, int, int]]:
    """The only line of a statement; one that serves several, such as a loop header, has none."""
    for statement, found in zip(statements, lines, strict=True):
        if found and (statement.origin == "emitted" or len(found) == 1):
            source, number = max(found, key=lambda line: (found[line], line))
            yield statement.line, source, number


def _home(node: NodeKey, recording: Recording, places: Places, ancestry: Ancestry) -> Line | None:
    """The user's line of a node: its own, or that of a node it came from."""
    for above in ancestry.above((node,)):
        (stack,) = stacks_of((above,), recording) or (None,)
        if line := places.own_line(stack):
            return line
    return None


def _coverage(tied: int, count: int) -> str:
    if not count:
        return ""
    of = f"the {count:,} statements" if count > 1 else "the one statement"
    return f"{percent(tied / count)} of {of} tied to your lines"


def ancestors_of(kernel: Kernel, ancestry: Ancestry) -> list[NodeKey]:
    """The nodes a kernel computes and all they came from, the earliest graph first."""
    if kernel.graph is None:
        return []
    graph = kernel.graph
    return sorted(ancestry.above((graph, node) for node in kernel.nodes))


def stacks_of(nodes: Iterable[NodeKey], recording: Recording) -> tuple[int, ...]:
    """The stacks of the nodes that have one, each once."""
    stacks = dict.fromkeys(recording.graphs[g].nodes.stack[n] for g, n in nodes)
    return tuple(stack for stack in stacks if stack >= 0)


def _operators(kernel: Kernel, recording: Recording) -> tuple[str, ...]:
    if kernel.graph is None:
        return ()
    table = recording.graphs[kernel.graph].nodes
    return unique(operator_name(table.strings[table.target[node]]) for node in kernel.nodes)


def _wrapper(wrapper: Wrapper, titles: Sequence[str]) -> WrapperView:
    direction = "backward " if wrapper.is_backward else ""
    if wrapper.graph is not None:  # whose title includes the direction
        direction, of = "", titles[wrapper.graph]
    else:
        of = wrapper.compile_id
    head = wrapper.code[:4000]
    is_python = "import torch" in head or "def call" in wrapper.code
    return WrapperView(
        id=wrapper.id,
        title=f"{direction}wrapper of {of}",
        language="python" if is_python or "#include" not in head else "cpp",
        code=wrapper.code,
        graph=wrapper.graph,
    )


def _gpus(recording: Recording) -> tuple[str, ...]:
    if all(kernel.language != "triton" for kernel in recording.kernels):
        return ()
    names = [name for name in targets.known() if name.startswith(("cuda:", "rocm:"))]
    return unique([recording.target, *names]) if recording.target else tuple(names)


def _why_none(recording: Recording) -> str:
    if recording.state == "recording":
        return "No kernel yet: compilation is still running."
    if recording.packages:
        return "No kernel: none could be found in the code of the package."
    if not recording.captured_graphs():
        return "No kernel: no graph was captured, so there was nothing to generate code for."
    if any(frame.outcome == "failed" for frame in recording.frames):
        return "No kernel: compilation failed before any code was generated."
    if recording.wrappers:
        return "No kernel: the graphs need no computation of their own."
    if recording.package_failures:
        return "No kernel: the package that was asked for was not made."
    if recording.exports and not recording.frames:
        return "No kernel: an export captures a graph, and generates no code for it."
    return "No kernel: this backend generates no code. The default backend, inductor, does."

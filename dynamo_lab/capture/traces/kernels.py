"""Kernels, from the code that Inductor wrote for a graph."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from dynamo_lab.capture.archive import calls
from dynamo_lab.capture.kernel_text import definitions, language_of
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.kernels import Kernel

MAX_CODE = 32 * 1024 * 1024
"""The most characters of one wrapper in which kernels are looked for."""

_AOT_ID = re.compile(r"^# AOT ID: \['\d+_(\w+)'\]", re.MULTILINE)
_QUOTED = re.compile(r"r?('''|\"\"\")(.*?)\1", re.DOTALL)
_EXTERN = re.compile(r"(?:extern_kernels|torch\.ops\.(?!inductor\b)\w+|aten|_quantized)\.[\w.]+")
_FRAGMENT = re.compile(r"^#\s+%(\w+)\s*(?::|=).*?(?:call_function|call_method)\[", re.MULTILINE)
_END = re.compile(r"^\s*(?:runner = |def (?:get_args|benchmark_compiled_module)\()", re.MULTILINE)


class Code(NamedTuple):
    """What a wrapper says of itself: whether it is of a backward, None where it does not say."""

    is_backward: bool | None
    kernels: tuple[Kernel, ...]


def read(code: str, graph: Graph | None, first: int, wrapper: int) -> Code:
    """The kernels of a wrapper, numbered from `first`."""
    found = _AOT_ID.search(code)
    is_backward = found[1] == "backward" if found else None
    if len(code) > MAX_CODE:
        return Code(is_backward, ())
    index = {name: at for at, name in enumerate(graph.nodes.name)} if graph else {}
    made: list[Kernel] = []
    for kernel, names in _kernels(code, graph):
        nodes = tuple(sorted({index[name] for name in names if name in index}))
        made.append(
            Kernel(
                id=first + len(made),
                name=kernel.name,
                language=kernel.language,
                graph=graph.id if graph else None,
                wrapper=wrapper,
                nodes=nodes,
                code=kernel.code,
                line=kernel.line,
                calls=kernel.calls,
            )
        )
    return Code(is_backward, tuple(made))


def _kernels(code: str, graph: Graph | None) -> Iterator[tuple[Kernel, Sequence[str]]]:
    """Each kernel with the names of its nodes: those that a comment tells, or that are left."""
    called = calls(_body(code))
    lines = code.split("\n")
    taken: set[str] = set()
    externs = [
        (_kernel(name, line, count), _extern_nodes(name, lines, graph, taken))
        for name, (line, count) in called.items()
        if _EXTERN.fullmatch(name)
    ]
    written = definitions(code)
    for name, (line, text) in written.items():
        kernel = _written(_kernel(name, line, called.get(name, (0, 0))[1]), text)
        told = _FRAGMENT.findall(_comment_above(lines, line))
        yield kernel, told or _left(name, list(written), graph, taken)
    yield from externs


def _written(kernel: Kernel, text: str) -> Kernel:
    """A kernel with the code that defines it."""
    quoted = _QUOTED.search(text)
    language = language_of(text)
    body = quoted[2] if quoted else text
    body = textwrap.dedent(body) if language == "metal" else body
    return replace(kernel, language=language, code=body.strip("\n"))


def _left(name: str, kernels: Sequence[str], graph: Graph | None, taken: set[str]) -> list[str]:
    """The nodes of a kernel without a comment, as C++ has none.

    One that stands alone computes all that no library does. Of several, each has in its name the
    operators that it fuses: a node is of the only one that names its operator.
    """
    if graph is None or not name.startswith("cpp_fused_"):
        return []
    nodes = [n for n in graph.nodes if n.op == "call_function" and n.name not in taken]
    if len(kernels) == 1:
        return [node.name for node in nodes]
    return [
        node.name
        for node in nodes
        if [k for k in kernels if f"_{_operator(node.target)}_" in k] == [name]
    ]


def _operator(target: str) -> str:
    """'add' of "aten.add.Tensor"."""
    return target.split(".")[1] if target.count(".") else target


def _kernel(name: str, line: int, count: int) -> Kernel:
    return Kernel(
        id=0, name=name, language="extern", graph=None, wrapper=None, line=line, calls=count
    )


def _body(code: str) -> str:
    """The code without its end, which only tries it out."""
    end = _END.search(code)
    return code[: end.start()] if end else code


def _comment_above(lines: Sequence[str], line: int) -> str:
    """The comment that ends above a line, blank lines apart."""
    above: list[str] = []
    for text in reversed(lines[: line - 1]):
        if text.startswith("#"):
            above.append(text)
        elif text.strip() or above:
            break
    return "\n".join(reversed(above))


def _extern_nodes(
    name: str, lines: Sequence[str], graph: Graph | None, taken: set[str]
) -> list[str]:
    """The nodes that calls of a library stand for: operators of one kind are called in order."""
    if graph is None:
        return []
    found: list[str] = []
    short = name.rpartition(".")[2]
    call = re.compile(rf"(?<![\w.]){re.escape(name)}\(")
    for number, line in enumerate(lines):
        if not call.search(line):
            continue
        wanted = _origins(lines[number - 1]) if number else set[str]()
        node = _first(graph, wanted, short, name, taken)
        if node is not None:
            taken.add(node)
            found.append(node)
    return found


def _origins(comment: str) -> set[str]:
    """The operators that a comment names: "..., Original ATen: [aten.add, aten.mm]"."""
    if "# Topologically Sorted Source Nodes: " not in comment:
        return set()
    named, closed, _ = comment.partition("Original ATen: [")[2].partition("]")
    return {part.strip() for part in named.split(",")} if closed else set()


def _first(graph: Graph, wanted: set[str], short: str, name: str, taken: set[str]) -> str | None:
    """The first node, not called yet, whose operator the comment and the kernel name."""
    for node in graph.nodes:
        is_same = _operator(node.target) == short or f"torch.ops.{node.target}" == name
        is_named = not wanted or ".".join(node.target.split(".")[:2]) in wanted
        if node.op.startswith("call") and node.name not in taken and is_same and is_named:
            return node.name
    return None

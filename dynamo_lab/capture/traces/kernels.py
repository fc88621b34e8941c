"""Kernels, from the code that Inductor wrote for a graph."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

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
_ORIGINS = re.compile(r"# Topologically Sorted Source Nodes: .*?Original ATen: \[([^\]\n]*)\]")
_CALL = re.compile(r"^\s*def call\(", re.MULTILINE)
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
    """Each kernel with the names of its nodes, as the comment above it tells them."""
    called = {name: (line, count) for name, (line, count) in calls(_body(code)).items()}
    lines = code.split("\n")
    for name, (line, text) in definitions(code).items():
        quoted = _QUOTED.search(text)
        kernel = _kernel(name, line, called.get(name, (0, 0))[1])
        body = quoted[2] if quoted else text
        language = language_of(text)
        if language == "metal":
            body = textwrap.dedent(body)
        nodes = _FRAGMENT.findall(_comment_above(lines, line))
        yield _with(kernel, language, body.strip("\n")), nodes
    taken: set[str] = set()
    for name, (line, count) in called.items():
        if _EXTERN.fullmatch(name):
            yield _kernel(name, line, count), _extern_nodes(name, lines, graph, taken)


def _kernel(name: str, line: int, count: int) -> Kernel:
    return Kernel(
        id=0, name=name, language="extern", graph=None, wrapper=None, line=line, calls=count
    )


def _with(kernel: Kernel, language: str, code: str) -> Kernel:
    from msgspec.structs import replace

    return replace(kernel, language=language, code=code)


def _body(code: str) -> str:
    """The code with all but `call` blanked: what stands after it only tries the code out."""
    start = _CALL.search(code)
    if start is None:
        return ""
    end = _END.search(code, start.end())
    body = code[start.start() : end.start() if end else len(code)]
    return "\n" * code.count("\n", 0, start.start()) + body


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
        told = _ORIGINS.search(lines[number - 1]) if number else None
        wanted = {part.strip() for part in told[1].split(",")} if told else set[str]()
        node = _first(graph, wanted, short, name, taken)
        if node is not None:
            taken.add(node)
            found.append(node)
    return found


def _first(
    graph: Graph, wanted: set[str], short: str, name: str, taken: set[str]
) -> str | None:
    """The first node, not yet called, whose operator the comment names and the kernel is called for."""
    for node in graph.nodes:
        operator = node.target.split(".")[1] if node.target.count(".") else node.target
        is_same = operator == short or f"torch.ops.{node.target}" == name
        is_named = not wanted or ".".join(node.target.split(".")[:2]) in wanted
        if node.op.startswith("call") and node.name not in taken and is_same and is_named:
            return node.name
    return None

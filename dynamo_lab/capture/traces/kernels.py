"""Kernels, from the code that Inductor wrote for a graph."""

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from dynamo_lab.capture.kernels.kernel_text import definitions, language_of
from dynamo_lab.capture.kernels.views import names_view
from dynamo_lab.capture.packages.archive import calls
from dynamo_lab.model.graphs import Graph, Node
from dynamo_lab.model.kernels import Kernel

MAX_CODE = 32 * 1024 * 1024
"""The most characters of one wrapper in which kernels are looked for."""
MAX_KERNELS = 10_000
"""The most kernels of one wrapper, and the most calls of a library in it, that are looked at."""
_MOST_PAIRS = 10_000_000
"""The most pairs of a kernel and a node among which those that belong together are looked for."""

_AOT_ID = re.compile(r"^# AOT ID: \['\d+_(\w+)'\]", re.MULTILINE)
_QUOTED = re.compile(r"r?('''|\"\"\")(.*?)\1", re.DOTALL)
_EXTERN = re.compile(r"(?:extern_kernels|torch\.ops\.(?!inductor\b)\w+|aten|_quantized)\.[\w.]+")
_CALLED = re.compile(rf"(?<![\w.])({_EXTERN.pattern})\(")
_FRAGMENT = re.compile(r"^#\s+%(\w+)\s*(?::|=).*?(?:call_function|call_method)\[", re.MULTILINE)
_VIEWS = frozenset(
    {"alias", "as_strided", "expand", "permute", "reshape", "select", "slice", "squeeze"}
    | {"split", "t", "transpose", "unsqueeze", "view"}
)
"""What no kernel computes where no name has it."""
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
    at = _extern_calls(lines)
    externs = [
        (_kernel(name, line, count), _extern_nodes(name, at.get(name, ()), lines, graph, taken))
        for name, (line, count) in islice(called.items(), MAX_KERNELS)
        if _EXTERN.fullmatch(name) and not names_view(name)
    ]
    written = dict(islice(definitions(code).items(), MAX_KERNELS))
    left = _left(list(written), graph, taken)
    for name, (line, text) in written.items():
        kernel = _written(_kernel(name, line, called.get(name, (0, 0))[1]), text)
        told = _FRAGMENT.findall(_comment_above(lines, line))
        yield kernel, told or left.get(name, ())
    yield from externs


def _written(kernel: Kernel, text: str) -> Kernel:
    """A kernel with the code that defines it."""
    quoted = _QUOTED.search(text)
    language = language_of(text)
    body = quoted[2] if quoted else text
    body = textwrap.dedent(body) if language == "metal" else body
    return replace(kernel, language=language, code=body.strip("\n"))


def _left(kernels: Sequence[str], graph: Graph | None, taken: set[str]) -> dict[str, list[str]]:
    """The nodes of kernels without a comment, as C++ has none.

    One that stands alone computes all that no library does. Of several, each has in its name the
    operators that the program called: see `_owner`.
    """
    if graph is None or not any(name.startswith("cpp_fused_") for name in kernels):
        return {}
    nodes = [n for n in graph.nodes if n.op == "call_function" and n.name not in taken]
    if len(kernels) == 1:
        return {kernels[0]: [node.name for node in nodes]}
    counts = Counter(_operator(node.target) for node in nodes)
    if len(counts) * len(kernels) > _MOST_PAIRS:
        return {}
    composed = [one for one in kernels if _is_composed(one, counts)]
    owners = {one: _owner(one, counts[one], kernels, composed) for one in counts}
    made: dict[str, list[str]] = {}
    for node in nodes:
        owner = owners[_operator(node.target)]
        if owner is not None and owner.startswith("cpp_fused_"):
            made.setdefault(owner, []).append(node.name)
    return made


def _owner(operator: str, count: int, kernels: Sequence[str], composed: list[str]) -> str | None:
    """The kernel that computes all nodes of an operator, None where its name does not tell.

    What a kernel's name has and the graph has not was decomposed, as `gelu` into `mul` and `erf`:
    such parts may bear any name, also one that another kernel has in its own.
    """
    named = [one for one in kernels if f"_{operator}_" in one]
    if not named:
        return composed[0] if len(composed) == 1 and operator not in _VIEWS else None
    is_sure = count == 1 or composed in ([], named)
    return named[0] if len(named) == 1 and is_sure else None


def _is_composed(kernel: str, operators: Iterable[str]) -> bool:
    """Whether a name has more in it than operators of the graph."""
    rest = kernel.removeprefix("cpp_fused")
    for operator in sorted(operators, key=len, reverse=True):
        rest = rest.replace(f"_{operator}_", "__")
    return bool(re.search(r"[a-z]", rest))


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
    for at in range(line - 2, -1, -1):
        if lines[at].startswith("#"):
            above.append(lines[at])
        elif lines[at].strip() or above:
            break
    return "\n".join(reversed(above))


def _extern_calls(lines: Sequence[str]) -> dict[str, list[int]]:
    """The lines, from 0, in which each function of a library is called."""
    found: dict[str, list[int]] = {}
    calls = ((at, call[1]) for at, line in enumerate(lines) for call in _CALLED.finditer(line))
    for at, name in islice(calls, MAX_KERNELS):
        of_name = found.setdefault(name, [])
        if not of_name or of_name[-1] != at:
            of_name.append(at)
    return found


def _extern_nodes(
    name: str, at: Sequence[int], lines: Sequence[str], graph: Graph | None, taken: set[str]
) -> list[str]:
    """The nodes that calls of a library stand for: operators of one kind are called in order."""
    if graph is None:
        return []
    found: list[str] = []
    short = name.rpartition(".")[2]
    same = [
        node
        for node in graph.nodes
        if node.op.startswith("call")
        and (_operator(node.target) == short or f"torch.ops.{node.target}" == name)
    ]
    if len(same) * len(at) > _MOST_PAIRS:
        return []
    for number in at:
        wanted = _origins(lines[number - 1]) if number else set[str]()
        node = _first(same, wanted, taken)
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


def _first(nodes: Sequence[Node], wanted: set[str], taken: set[str]) -> str | None:
    """The first of the nodes that is not called yet and whose operator the comment names."""
    for node in nodes:
        is_named = not wanted or ".".join(node.target.split(".")[:2]) in wanted
        if node.name not in taken and is_named:
            return node.name
    return None

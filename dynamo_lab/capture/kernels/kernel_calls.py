"""Calls of kernels in wrappers: where they are, and how to intercept them.

A wrapper is a Python module that the compiler wrote. While `intercepted` lasts, its functions run
code that is the same but for calls of kernels, which go through a function of ours, arguments and
all. Where a kernel takes the address of a tensor, what it is given remembers the tensor.
"""

from __future__ import annotations

import ast
import re
import sys
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import torch

from dynamo_lab.capture.core.hooks import OPERATORS
from dynamo_lab.capture.core.hooks import PYTREE as pytree
from dynamo_lab.capture.core.undo import whole
from dynamo_lab.capture.kernels import hooks, own_modules

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from dynamo_lab.model.kernels import Kernel
    from dynamo_lab.model.recording import Recording

    Stand = Callable[..., Any]
    """Called in the place of a kernel: the number of the call, the kernel, and its arguments."""

_NAME, _ADDRESS = "_dynamo_lab_call", "_dynamo_lab_address"
_NOT_CODE = re.compile(r"^# AOT ID.*$", re.MULTILINE)  # numbers every compilation of a process


class Address(int):
    """Where a tensor's data lies, as a kernel takes it, and the tensor."""

    tensor: torch.Tensor

    @classmethod
    def of(cls, tensor: torch.Tensor) -> Address:
        """The address of a tensor."""
        made = cls(tensor.data_ptr())
        made.tensor = tensor
        return made


class Site(NamedTuple):
    """A call of a kernel in a wrapper: its line, and the buffers it makes."""

    kernel: int
    wrapper: int
    line: int
    buffers: tuple[str, ...]


class Live(NamedTuple):
    """A wrapper's module in this process, and its code with our calls in it."""

    module: ModuleType
    code: CodeType


class Wrapped(NamedTuple):
    """All calls of kernels in the wrappers of a recording, and the modules that make them.

    `missing` are the wrappers that are not to be found in this process.
    """

    sites: tuple[Site, ...]
    live: tuple[Live, ...]
    missing: tuple[int, ...]
    decides: bool
    """Whether a wrapper looks at numbers that kernels compute, to choose sizes or branches."""


def wrapped(recording: Recording) -> Wrapped:
    """The calls of a recording's kernels, once its program has been compiled in this process."""
    sites: list[Site] = []
    live: list[Live] = []
    missing: list[int] = []
    decides = False
    modules = [*written_modules(), *((m, plain(text)) for m, text in own_modules.loaded())]
    for wrapper in recording.wrappers:
        kernels = [k for k in recording.kernels if k.wrapper == wrapper.id]
        found = [m for m, text in modules if text == plain(wrapper.code)]
        tree = _parsed(wrapper.code)
        if tree is None or not found:
            missing.append(wrapper.id)
            continue
        marker = _Marker(kernels, len(sites))
        marked = ast.fix_missing_locations(marker.visit(tree))
        sites += _sites(wrapper.id, kernels, marker.calls)
        decides = decides or marker.decides
        live += [Live(m, compile(marked, _file(m), "exec")) for m in found]
    return Wrapped(tuple(sites), tuple(live), tuple(missing), decides)


def _file(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or "wrapper"


def written_modules() -> Iterator[tuple[ModuleType, str]]:
    """Modules that Inductor wrote and that are loaded, each with its text."""
    kept = [m for name, m in sys.modules.items() if ".compile_tasks." in name]
    for module in {id(m): m for m in (*hooks.LOADED.get(), *kept)}.values():
        try:
            with open(module.__file__ or "", encoding="utf-8") as file:
                yield module, plain(file.read())
        except OSError:
            continue  # its file is gone, with a cache that was cleared


def plain(code: str) -> str:
    """The text of a module without what two compilations of it do not share."""
    return _NOT_CODE.sub("", code).strip()


def _parsed(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError):  # a wrapper in C++
        return None


class _Marker(ast.NodeTransformer):
    """Sends each call of a kernel through our function, and keeps where it stands."""

    def __init__(self, kernels: Iterable[Kernel], first: int) -> None:
        self._ids = {kernel.name: kernel.id for kernel in kernels}
        self._next = first
        self._statement: ast.stmt | None = None
        self.calls: list[tuple[int, int, frozenset[str]]] = []
        """For each call: the kernel, its line, and the names in its statement."""
        self.decides = False

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.stmt):
            self._statement = node
        return super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        has_kernels = len(self.calls)
        found = self.generic_visit(node)
        if len(self.calls) > has_kernels:
            branches = (ast.If, ast.While)
            self.decides |= any(isinstance(inner, branches) for inner in ast.walk(node))
            self.decides |= any(_is_item(inner) for inner in ast.walk(node))
        return found

    def visit_Call(self, node: ast.Call) -> Any:
        statement = self._statement
        self.generic_visit(node)
        kernel = self._kernel(_dotted(node.func))
        if kernel is None or statement is None:
            return node
        names = frozenset(n.id for n in ast.walk(statement) if isinstance(n, ast.Name))
        self.calls.append((kernel, node.lineno, names))
        number = ast.Constant(self._next)
        self._next += 1
        args = [number, *_called(node), *map(_remembered, node.args)]
        ours = ast.Call(ast.Name(_NAME, ast.Load()), args, node.keywords)
        return ast.copy_location(ours, node)

    def _kernel(self, called: str) -> int | None:
        """A kernel is called by its name, Triton's by `run` of it, Metal's may be in a library."""
        inner = called.partition(".")[2]
        for name in (called, called.removesuffix(".run"), inner, _method(inner)):
            if name in self._ids:
                return self._ids[name]
        return None


_COPY = ast.parse("torch.ops.aten.copy_.default", mode="eval").body


def _method(name: str) -> str:
    """The operator that a wrapper calls as a method of a buffer, as `buf0.copy_(arg0)`."""
    return "aten.copy_" if name == "copy_" else ""


def _called(node: ast.Call) -> list[ast.expr]:
    """What is called: of a method, the operator, whose first argument is what it is a method of."""
    match node.func:
        case ast.Attribute(value=ast.Name() as tensor, attr="copy_"):
            return [_COPY, tensor]
        case function:
            return [function]


def _remembered(argument: ast.expr) -> ast.expr:
    """`x.data_ptr()` as an address that remembers `x`."""
    match argument:
        case ast.Call(func=ast.Attribute(value=tensor, attr="data_ptr"), args=[], keywords=[]):
            return ast.Call(ast.Name(_ADDRESS, ast.Load()), [tensor], [])
        case _:
            return argument


def _is_item(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "item"


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        around = _dotted(node.value)
        return f"{around}.{node.attr}" if around else ""
    return ""


def _sites(
    wrapper: int, kernels: Iterable[Kernel], calls: list[tuple[int, int, frozenset[str]]]
) -> Iterator[Site]:
    """Calls with their buffers: a kernel's are recorded call by call, as many for each."""
    by_id = {kernel.id: kernel for kernel in kernels}
    count = {kernel: sum(c[0] == kernel for c in calls) for kernel in by_id}
    seen = dict.fromkeys(by_id, 0)
    for kernel, line, names in calls:
        buffers, each = by_id[kernel].buffers, len(by_id[kernel].buffers) // count[kernel]
        if each * count[kernel] == len(buffers):
            own = buffers[seen[kernel] * each : (seen[kernel] + 1) * each]
        else:
            own = tuple(name for name in buffers if name in names)
        seen[kernel] += 1
        yield Site(kernel, wrapper, line, own)


@whole
def intercepted(live: Iterable[Live], stand: Stand) -> Generator[None, None, None]:
    """Call `stand` in the place of every kernel of these modules."""
    undo: list[tuple[FunctionType, CodeType]] = []
    modules = [one.module for one in live]
    try:
        for module, code in live:
            vars(module).update({_NAME: stand, _ADDRESS: Address.of})
            ours = {(c.co_name, c.co_firstlineno): c for c in _codes(code)}
            for function in _functions(module):
                own = function.__code__
                changed = ours.get((own.co_name, own.co_firstlineno))
                if changed is not None and _NAME in changed.co_names:
                    undo.append((function, own))
                    function.__code__ = changed
        yield
    finally:
        for function, own in reversed(undo):
            function.__code__ = own
        for module in modules:
            for name in (_NAME, _ADDRESS):
                vars(module).pop(name, None)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions that a module defines, those of its classes too."""
    for thing in list(vars(module).values()):
        inner = vars(thing).values() if isinstance(thing, type) else (thing,)
        for function in inner:
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                yield function


def layout_key(args: Any, kwargs: Any) -> Any:
    """What two calls share whose tensors lie alike and whose other arguments are the same."""
    leaves, spec = pytree.tree_flatten((args, kwargs))
    return str(spec), tuple(map(_leaf, leaves))


def _leaf(leaf: Any) -> Any:
    leaf = leaf.tensor if isinstance(leaf, Address) else leaf
    if isinstance(leaf, torch.Tensor):
        return leaf.dtype, tuple(leaf.shape), tuple(leaf.stride()), str(leaf.device)
    return str(leaf)


def changed_by(kernel: Kernel, function: Any, args: Any, kwargs: Any) -> list[Any]:
    """The tensors among a call's arguments that it may change; all, where that is not known."""
    if isinstance(function, OPERATORS.OpOverload):
        return mutated(function, args, kwargs)
    if kernel.language == "extern" and "out" in kwargs:
        return [kwargs["out"]]
    if kernel.language == "c":
        return _written_by_c(kernel, args)
    names = _parameters(kernel, function)
    if not names:
        leaves = pytree.tree_leaves((args, kwargs))
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    return [arg for name, arg in zip(names, args, strict=False) if _is_written(name)]


def _written_by_c(kernel: Kernel, args: Any) -> list[torch.Tensor]:
    """What a kernel of ours may change: the tensors whose parameters are not const."""
    head = kernel.code[kernel.code.find("(") + 1 : kernel.code.find(")")]
    parameters = zip(head.split(", "), args, strict=False)
    return [
        arg.tensor
        for text, arg in parameters
        if isinstance(arg, Address) and not text.startswith("const ")
    ]


def _is_written(name: str) -> bool:
    return not name.startswith(("in_ptr", "ks", "xnumel", "ynumel", "rnumel", "stream"))


def _parameters(kernel: Kernel, function: Any) -> list[str]:
    """The names of a generated kernel's parameters, which say what it reads and writes."""
    if kernel.language == "triton":
        inner: Any = getattr(getattr(function, "__self__", None), "fn", None)
        return list(getattr(inner, "arg_names", ()))
    head = re.search(r"void\s+kernel\(([^)]*)\)", kernel.code)
    if kernel.language != "cpp" or head is None:
        return []
    return [part.split()[-1].lstrip("*&") for part in head[1].split(",") if part.strip()]


def mutated(op: Any, args: Any, kwargs: Any) -> list[Any]:
    """The tensors that an operator's schema says it writes to."""
    found: list[Any] = []
    for at, argument in enumerate(op._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[at] if at < len(args) else kwargs.get(argument.name)
            found += pytree.tree_leaves(cast("Any", value))
    return [value for value in found if isinstance(value, torch.Tensor)]

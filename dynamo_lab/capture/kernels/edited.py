"""A kernel with another text: built as Inductor builds it, and used in its place for a while.

The module that Inductor writes defines each kernel in one statement, and calls it by that name. So
an edit is that statement with another text, and lives in the module under the same name.
"""

import ast
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch

from dynamo_lab.capture.core.undo import whole
from dynamo_lab.capture.kernels import hooks
from dynamo_lab.capture.kernels.kernel_calls import written_modules
from dynamo_lab.capture.kernels.recorded_calls import Call, Memory, launcher
from dynamo_lab.errors import EditError

OFFSET = 1
"""Lines that stand before a kernel's text where it is built: Inductor starts it on a new line."""

_DEFINES = re.compile(r"async_compile\.\w+\(.*['\"]|compile_mps_shader\(")
_KEPT_CALLS = 4
_KEPT_BYTES = 256 << 20


@dataclass(frozen=True)
class Definition:
    """The statement that defines a kernel, with the text that it has there."""

    name: str
    statement: str
    text: str

    def edited(self, text: str) -> "Definition":
        """The same with another text."""
        (node,) = ast.parse(self.statement).body
        return Definition(self.name, _with(node, text), text)


def definition(name: str, wrapper: str) -> Definition:
    """The definition of a kernel in the module that calls it.

    Raises:
        EditError: the module is not in Python, or does not define it.
    """
    node = _defining(name, wrapper)
    return Definition(name, ast.unparse(node), str(_text_of(node).value).strip("\n"))


def with_text(wrapper: str, name: str, text: str) -> str:
    """The module with another text for one kernel."""
    node = _defining(name, wrapper)
    lines = wrapper.splitlines(keepends=True)
    return "".join([*lines[: node.lineno - 1], f"{_with(node, text)}\n", *lines[node.end_lineno :]])


def _defining(name: str, wrapper: str) -> ast.Assign:
    try:
        tree = ast.parse(wrapper)
    except SyntaxError:
        raise EditError(
            f"{name} is called by a wrapper in C++, into which it is built: record the program "
            "without cpp_wrapper to edit it."
        ) from None
    for node in tree.body:
        if not isinstance(node, ast.Assign) or ast.unparse(node.targets[0]) != name:
            continue
        if _DEFINES.match(ast.unparse(node.value)):
            return node
    raise EditError(
        f"{name} is not defined in its wrapper, so it cannot be edited: choose another."
    )


def _with(node: ast.stmt, text: str) -> str:
    """The statement with another text. It is left changed."""
    _text_of(node).value = f"\n{text}\n"
    return ast.unparse(node)


def _text_of(node: Any) -> ast.Constant:
    """The kernel's text in its definition: the longest string in it."""
    texts = [a for a in ast.walk(node) if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return max(texts, key=lambda text: len(str(text.value)))


def settings_of_builds() -> dict[str, Any]:
    """The settings of Inductor that decide how C++ is built, to build so in another process."""
    plain = (int, float, str, tuple, type(None))
    found = hooks.SETTINGS.get().get_config_copy()
    return {k: v for k, v in found.items() if k.startswith("cpp.") and isinstance(v, plain)}


def build(defined: Definition, settings: Mapping[str, Any]) -> Any:
    """The kernel, ready to be called; in this process, so that what fails says why."""
    namespace: dict[str, Any] = {"__name__": "edited", "torch": torch}
    with hooks.SETTINGS.get().patch({**settings, "compile_threads": 1}):
        namespace["async_compile"] = hooks.ASYNC_COMPILE.get()()
        namespace["compile_mps_shader"] = hooks.METAL_SHADER.get()
        exec(defined.statement, namespace)
        namespace["async_compile"].wait(namespace)
    return namespace[defined.name]


def modules_with(defined: Definition) -> list[ModuleType]:
    """The living modules that define this kernel with this text."""
    found = ((m, text) for m, text in written_modules() if defined.name in vars(m))
    return [module for module, text in found if _defines(text, defined)]


def _defines(written: str, defined: Definition) -> bool:
    try:
        return definition(defined.name, written).text == defined.text
    except EditError:
        return False


@whole
def in_place(modules: Sequence[ModuleType], name: str) -> Generator[Callable[[Any], None]]:
    """Puts a kernel under this name of the modules, as often as it is called; at the end, back."""
    before = [vars(module)[name] for module in modules]

    def put(kernel: Any) -> None:
        for module in modules:
            vars(module)[name] = kernel

    try:
        yield put
    finally:
        for module, kernel in zip(modules, before, strict=True):
            vars(module)[name] = kernel


class Listener:
    """Stands for a kernel while the program runs, and keeps the first calls."""

    def __init__(self, kernel: Any) -> None:
        self._launch = launcher(kernel)
        self._bytes = 0
        self.count = 0
        self.calls: list[Call] = []

    def __call__(self, *args: Any, **options: Any) -> Any:
        """As the module calls C++ kernels."""
        self.count += 1
        if len(self.calls) >= _KEPT_CALLS or self._bytes > _KEPT_BYTES:
            return self._launch(*args, **options)
        before = Memory.of(args)
        result = self._launch(*args, **options)
        self.calls.append(Call(before, Memory.of(args), options))
        self._bytes += 2 * before.bytes
        return result

    run = __call__  # as it calls those of Triton
    generated_kernel = __call__  # and those of Metal


def options_to_compile(
    mode: str | None, dynamic: bool | None, fullgraph: bool, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """What `torch.compile` is given. CUDA graphs would replay the original kernel."""
    of_mode = hooks.LIST_MODES.get()(mode, dynamic) if mode else {}
    options = {**of_mode, **settings, "triton.cudagraphs": False}
    return {"dynamic": dynamic, "fullgraph": fullgraph, "options": options}

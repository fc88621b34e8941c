"""The text of a program that its reader may change, and the program that a changed text makes.

Of a cell under `%%compile` imports and definitions run, and its other statements are what is
lowered. Of the text of a function or a module only imports, definitions and constants run: the
function then takes the arguments that were recorded, and a module keeps its parameters, since its
constructor does not run again.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from dynamo_lab.capture.core.undo import whole
from dynamo_lab.errors import LoweringError
from dynamo_lab.record.cells import cell_label
from dynamo_lab.record.cells.names import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from types import FunctionType

    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Program

Call = tuple["Callable[..., Any]", "Sequence[Any]", "Mapping[str, Any]"]


class Editable(Protocol):
    """A text to change.

    `source` is the recorded source that it is from, which has `above` more lines above it; None
    where the recording has no such source.
    """

    text: str
    name: str
    source: int | None
    above: int
    reading: str
    """What runs of it, and what does not."""

    def made(self, text: str, filename: str) -> AbstractContextManager[Call]:
        """What a changed text is to be called as, for the length of a block.

        Raises:
            Exception: what its definitions raise; a SyntaxError if it is not Python.
        """
        ...

    def idle(self, text: str) -> tuple[int, ...]:
        """The first lines of statements that neither run nor are lowered."""
        ...

    def names(self) -> dict[str, Any]:
        """What the text finds by name; another value of one is another program."""
        ...


def editable(recording: Recording, program: Program) -> Editable:
    """The text of a recorded program.

    Raises:
        LoweringError: its text is not known, or is none that can be changed.
    """
    for at, source in enumerate(recording.sources):
        text = source.excerpts[0].text if source.excerpts else ""
        if program.edited(source, text, "") is not None:
            return CellText(program, recording, at)
    return function_text(program, recording)


class CellText:
    """A cell that `%%compile` ran."""

    above: int = 0
    reading: str = (
        "Nothing of the cell runs but its imports and definitions, and these in a copy of your "
        "kernel that is thrown away. Its other lines are captured, at the shapes and dtypes that "
        "the names had when it ran, up to the first graph break, and lowered to code."
    )

    def __init__(self, program: Program, recording: Recording, source: int) -> None:
        self._program, self._source = program, recording.sources[source]
        self.text = self._source.excerpts[0].text
        self.name = self._source.path
        self.source: int | None = source

    @whole
    def made(self, text: str, filename: str) -> Generator[Call, None, None]:
        """The cell's function, once the definitions of the changed text ran."""
        edited = self._program.edited(self._source, text, filename)
        assert edited is not None
        with filed(text, filename):
            yield edited.call()

    def idle(self, text: str) -> tuple[int, ...]:
        """None: what does not run is lowered."""
        return ()

    def names(self) -> dict[str, Any]:
        """The notebook's."""
        return next(iter(self._program.namespaces()), dict[str, Any]())


class _Block(NamedTuple):
    """A text around a function or a class: where it is from, and where its names live."""

    text: str
    filename: str
    above: int
    names: dict[str, Any]


class FunctionText:
    """A function, a method or a module, in its cell or in a file."""

    reading: str = (
        "Only imports, definitions and constants of this text run, in a copy of your kernel that "
        "is thrown away; dimmed lines do not. The function is captured, at the shapes and dtypes "
        "that it was recorded with, up to the first graph break, and lowered to code. A module "
        "keeps its parameters: its constructor does not run again."
    )

    def __init__(self, program: Program, block: _Block, recording: Recording) -> None:
        self._program, self._block = program, block
        self.text, self.above = block.text, block.above
        self.source = _recorded(block, recording)
        label = cell_label(block.filename)
        self.name = label or block.filename.replace("\\", "/").rpartition("/")[2]

    @whole
    def made(self, text: str, filename: str) -> Generator[Call, None, None]:
        """The function that a changed text defines; afterwards all names are as before."""
        fn, args, kwargs = self._program.call()
        names = self._block.names
        before = dict(names)
        classes: list[tuple[Any, type[Any]]] = []
        with filed(text, filename):
            try:
                yield _renewed(fn, text, filename, names, classes), args, kwargs
            finally:
                for thing, kind in classes:
                    thing.__class__ = kind
                for name in names.keys() - before.keys():
                    del names[name]
                names.update(before)

    def idle(self, text: str) -> tuple[int, ...]:
        """All but imports, definitions and constants."""
        return tuple(one.lineno for one in ast.parse(text).body if not _is_run(one))

    def names(self) -> dict[str, Any]:
        """The function's globals."""
        return self._block.names


def function_text(program: Program, recording: Recording) -> FunctionText:
    """The text around the function or module of a program.

    Raises:
        LoweringError: its text is not known, or is none that can be changed.
    """
    fn = program.call()[0]
    return FunctionText(program, _block(fn), recording)


def _block(fn: Any) -> _Block:
    owner = _owner(fn)
    thing: Any = inspect.unwrap(fn) if owner is None else cast("type[Any]", type(owner))
    code: Any = inspect.unwrap(_method(fn, owner)) if owner is not None else thing
    names, filename = getattr(code, "__globals__", None), _filename(code)
    if names is None or not filename:
        raise _unknown(fn)
    is_inner = "<locals>" in thing.__qualname__
    if is_inner and owner is not None:
        raise LoweringError(
            f"The class {thing.__name__} is defined in a function, so its text cannot be changed "
            "here: define it at the top of a cell or a file."
        )
    if cell_label(filename) is not None and not is_inner:
        whole_text = "".join(linecache.getlines(filename)).rstrip("\n")
        if whole_text:
            return _Block(whole_text, filename, 0, names)
    try:
        lines, first = inspect.getsourcelines(thing)
    except (OSError, TypeError):
        raise _unknown(fn) from None
    text = textwrap.dedent("".join(lines)).rstrip("\n")
    try:
        ast.parse(text)
    except SyntaxError:
        raise _unknown(fn) from None
    return _Block(text, filename, max(0, first - 1), names)


def _owner(fn: Any) -> Any:
    """The object that a method is of, or the callable object itself; None for a function."""
    if inspect.isfunction(fn):
        return None
    return fn.__self__ if inspect.ismethod(fn) else fn


def _method(fn: Any, owner: Any) -> Any:
    if inspect.ismethod(fn):
        return fn.__func__
    kind = cast("type[Any]", type(owner))
    return getattr(kind, "forward", None) or kind.__dict__.get("__call__")


def _filename(function: Any) -> str:
    code = getattr(function, "__code__", None)
    return "" if code is None else code.co_filename


def _unknown(fn: Any) -> LoweringError:
    name = getattr(fn, "__name__", type(fn).__name__)
    return LoweringError(
        f"The text of {name} is not known, so it cannot be changed here: define it with `def` or "
        "`class`, in a cell or a file."
    )


def _recorded(block: _Block, recording: Recording) -> int | None:
    """The recorded source that has these lines there."""
    lines = block.text.split("\n")
    for at, source in enumerate(recording.sources):
        known = dict(source.lines())
        if all(
            (known.get(block.above + i) or "").strip() == line.strip()
            for i, line in enumerate(lines, 1)
        ):
            return at
    return None


def _is_run(statement: ast.stmt) -> bool:
    """Whether it is what a function's text may run: an import, a definition, or a constant."""
    match statement:
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return _is_constant(value)
        case ast.Expr(value=ast.Constant()):
            return True
        case _:
            return isinstance(statement, DEFINITIONS)


def _is_constant(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _renewed(
    fn: Any, text: str, filename: str, names: dict[str, Any], classes: list[tuple[Any, type[Any]]]
) -> Callable[..., Any]:
    """The function that the text defines in `names`; objects of its classes become the new ones."""
    tree = ast.parse(text, filename)
    compile(tree, filename, "exec", dont_inherit=True)  # `return` outside of a function is refused
    owner = _owner(fn)
    if owner is None and "<locals>" in inspect.unwrap(fn).__qualname__:
        return _inner(inspect.unwrap(fn), tree, filename, names)
    run = ast.Module([one for one in tree.body if _is_run(one)], [])
    exec(compile(run, filename, "exec", dont_inherit=True), names)
    if owner is None:
        name = inspect.unwrap(fn).__name__
        _refuse_without(name, tree)
        return names[name]
    _refuse_without(type(owner).__name__, tree)
    for thing, made in _instances(owner, tree, names):
        classes.append((thing, cast("type[Any]", type(thing))))
        thing.__class__ = made
    return getattr(owner, fn.__name__) if inspect.ismethod(fn) else owner


def _refuse_without(name: str, tree: ast.Module) -> None:
    defined = (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
    if not any(isinstance(one, defined) and one.name == name for one in tree.body):
        raise LoweringError(f"Nothing here defines `{name}`, which is what was recorded.")


def _instances(
    owner: Any, tree: ast.Module, names: dict[str, Any]
) -> Iterator[tuple[Any, type[Any]]]:
    """The object and its modules, where the text defines their classes anew, with the new class."""
    modules: Any = getattr(owner, "modules", None)
    defined = {one.name for one in tree.body if isinstance(one, ast.ClassDef)}
    things: list[Any] = list(modules()) if modules is not None else [owner]
    for thing in things:
        kind = cast("type[Any]", type(thing))
        if kind.__qualname__ in defined and kind.__module__ == type(owner).__module__:
            yield thing, names[kind.__name__]


def _inner(
    function: FunctionType, tree: ast.Module, filename: str, names: dict[str, Any]
) -> Callable[..., Any]:
    """A function that is defined in another, with the variables of that one as they are."""
    _refuse_without(function.__name__, tree)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    found = {name: cell.cell_contents for name, cell in cells.items()}
    around = ast.parse(f"def around({', '.join(found)}): return {function.__name__}")
    outer = around.body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body[:0] = [one for one in tree.body if _is_run(one)]
    exec(compile(around, filename, "exec", dont_inherit=True), names)
    return names["around"](**found)


@whole
def filed(text: str, filename: str) -> Generator[None, None, None]:
    """For the block, whoever asks for the lines of this name finds the text's."""
    lines = (text + "\n").splitlines(keepends=True)
    linecache.cache[filename] = (len(text), None, lines, filename)
    try:
        yield
    finally:
        linecache.cache.pop(filename, None)

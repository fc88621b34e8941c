"""Changes of a program that can be tried and undone: settings, options, rewritten lines."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

_LAZY = frozenset({"torch._dynamo.config", "torch._inductor.config"})
"""The settings that are there as soon as somebody names them."""


class Setting(NamedTuple):
    """An option to set to `value`, or to add the object named `add` to.

    `of` is the module that holds it, by default that of Dynamo's settings.
    """

    option: str
    add: str = ""
    value: Any = True
    of: str = "torch._dynamo.config"

    @property
    def needs(self) -> tuple[str, ...]:
        """The modules to import before: of PyTorch's settings, some come with `import torch`."""
        module = "torch" if self.of in _LAZY else self.of
        added = self.add.split(".")[0]
        return (module, added) if "." in self.add else (module,)

    @property
    def line(self) -> str:
        """The line that makes the change."""
        change = f".add({self.add})" if self.add else f" = {self.value!r}"
        return f"{self.of}.{self.option}{change}"

    @property
    def code(self) -> str:
        """What the user would write: with an import where `import torch` is not enough."""
        return self.line if self.of in _LAZY else f"import {self.of}\n{self.line}"


class Helper(NamedTuple):
    """The function that contains a break, to run eagerly."""

    name: str


class Rewrite(NamedTuple):
    """A source with lines changed. `scope` is the function they are in, None for a cell.

    `drops` says that a call is left out, with all that it does.
    """

    text: str
    scope: str | None
    diff: str
    drops: bool = False


class Options(NamedTuple):
    """Arguments of `torch.compile` to pass instead: `dynamic`, `mode`, `fullgraph`, `options`."""

    chosen: Mapping[str, Any]

    @property
    def code(self) -> str:
        """The call that the user would write."""
        return f"torch.compile(fn, {', '.join(f'{k}={v!r}' for k, v in self.chosen.items())})"


class GuardFilter(NamedTuple):
    """A function of `torch.compiler` that says which guards to keep."""

    name: str

    @property
    def code(self) -> str:
        """The call that the user would write."""
        return f'torch.compile(fn, options={{"guard_filter_fn": torch.compiler.{self.name}}})'


class ExportArguments(NamedTuple):
    """Arguments of `torch.export.export` to pass instead, in the call at a line of a source.

    `shapes` says which `dynamic_shapes`: those that PyTorch suggests, or those that ask only for
    what can vary; `text` is that as code.
    """

    call: tuple[int, int] | None
    shapes: Literal["", "suggested", "loosened"] = ""
    text: str = ""
    strict: bool | None = None


class Reexport(NamedTuple):
    """A change with which the export of this number in the recording is to be made again."""

    export: int
    change: ExportArguments | Rewrite


Change = Setting | Helper | Rewrite | Options | GuardFilter | Reexport


def drops(change: Change) -> bool:
    """Whether a change leaves out a call on purpose, with what that prints or logs."""
    if isinstance(change, Rewrite):
        return change.drops
    return isinstance(change, Setting) and change.option == "ignore_logging_functions"

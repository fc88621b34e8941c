"""The modules of a program, as an answer to print."""

from msgspec import structs

from dynamo_lab.model.recording import Recording
from dynamo_lab.render.tables import terminal_width
from dynamo_lab.render.terminal import as_text
from dynamo_lab.render.terminal.modules import renderable
from dynamo_lab.view import build
from dynamo_lab.view.modules import modules

_WIDTH = 100


class Modules(modules.ModulesView, frozen=True, kw_only=True):
    """The tree of modules: print it. `rows` are in its order, `roots` where it begins."""

    def __str__(self) -> str:
        width = terminal_width() or _WIDTH
        return as_text(renderable(self, width), width=width).rstrip("\n")

    __repr__ = __str__


def modules_of(recording: Recording) -> Modules:
    """The modules of a recording; no rows where its program has none."""
    return Modules(**structs.asdict(build(recording).modules))

"""What the pages are made of: pictures in two themes, how to read a view, commands, the gallery.

- A picture `images/breaks-light.png` is shown with its twin `-dark.png` to readers in the dark.
- `{reading} breaks`: the very words that the view says of itself.
- `{commands}`: the manual of each command, as it prints it.
- `{watched}`: PyTorch's private functions that are watched, as the source names them.
- `{logs}`: every name that `TORCH_LOGS` takes, with the view that shows the same.
- `{gallery}`: the programs beside `gallery/index.md`, each with its picture, its code and its page.
"""

import ast
import contextlib
import io
import os
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from dynamo_lab.__main__ import main as dynamo_lab_command
from dynamo_lab.view.help.help import blocks, reading_of
from dynamo_lab.view.logs.table import LOGS, OLDEST

HERE = Path(__file__).parent
PROGRAMS = HERE / "gallery"
PAGES = PROGRAMS / "pages"
CAPTURE = HERE.parents[1] / "dynamo_lab" / "capture"
_LIGHT = "-light.png"
_WATCHED = re.compile(r'patches\.watch\(\s*([\w.]+),\s*"(\w+)"')


class Themes(SphinxTransform):
    """A picture of a light page has a twin for dark ones, and the reader's theme hides one."""

    default_priority = 500

    def apply(self) -> None:
        """Put the twins in."""
        for light in list(self.document.findall(nodes.image)):
            if light["uri"].endswith(_LIGHT):
                dark = light.deepcopy()
                dark["uri"] = f"{light['uri'].removesuffix(_LIGHT)}-dark.png"
                light["classes"].append("only-light")
                dark["classes"].append("only-dark")
                light.parent.insert(light.parent.index(light) + 1, dark)


class ReadingOf(SphinxDirective):
    """How to read a view, in its own words."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The sentence, then the paragraph with its example."""
        found = reading_of(self.arguments[0])
        if found is None:
            raise self.error(f"There is no view {self.arguments[0]!r}.")
        reading = nodes.container(classes=["reading"])
        reading += self.parse_text_to_nodes(found.sentence)
        for is_example, text in blocks(found.paragraph):
            reading += [_listing(text)] if is_example else self.parse_text_to_nodes(text)
        return [reading]


class Commands(SphinxDirective):
    """What each command prints with `--help`."""

    def run(self) -> list[nodes.Node]:
        """A section a command, the whole first."""
        self.env.note_dependency(dynamo_lab_command.__code__.co_filename)
        manual = _help()
        names = re.findall(r"^ {4}([a-z]+) {2,}", manual.partition("\ncommands:")[2], re.MULTILINE)
        shown: list[nodes.Node] = [_listing(manual)]
        for name in names:
            section = nodes.section(ids=[f"dynamo-lab-{name}"])
            section += nodes.title("", "", nodes.literal(text=f"dynamo-lab {name}"))
            section += _listing(_help(name))
            shown.append(section)
        return shown


def _help(*command: str) -> str:
    kept = {name: os.environ.get(name) for name in ("COLUMNS", "NO_COLOR")}
    os.environ.update(COLUMNS="92", NO_COLOR="1")
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            dynamo_lab_command([*command, "--help"])
    finally:
        for name, value in kept.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
    return printed.getvalue().rstrip()


class Watched(SphinxDirective):
    """Every function of PyTorch's that a probe stands on, by the file of the probe."""

    def run(self) -> list[nodes.Node]:
        """A list with an item a file."""
        listed = nodes.bullet_list()
        for path in sorted(CAPTURE.glob("*.py")):
            found = sorted(set(_WATCHED.findall(path.read_text(encoding="utf-8"))))
            if found:
                names = ", ".join(f"`{owner}.{name}`" for owner, name in found)
                item = self.parse_text_to_nodes(f"**{path.stem.replace('_', ' ')}**: {names}")
                listed += nodes.list_item("", *item)
        return [listed]


class Logs(SphinxDirective):
    """Every log, and where the same is shown."""

    def run(self) -> list[nodes.Node]:
        """A table with a row a log."""
        rows = [("log", "view", "what is seen there, or what it is about", "only in the text")]
        for row in LOGS.values():
            since = f" (since {row.since})" if row.since != OLDEST else ""
            rows.append((f"`{row.name}`{since}", row.view or "-", row.shows, row.lacks or "-"))
        text = "\n".join(f"| {' | '.join(cells)} |" for cells in (rows[0], ("---",) * 4, *rows[1:]))
        return self.parse_text_to_nodes(text)


class Gallery(SphinxDirective):
    """Every program of the gallery."""

    def run(self) -> list[nodes.Node]:
        """A section a program."""
        return [self._program(path) for path in sorted(PROGRAMS.glob("*.py"))]

    def _program(self, path: Path) -> nodes.Node:
        self.env.note_dependency(str(path))
        code = path.read_text(encoding="utf-8")
        title, _, about = (ast.get_docstring(ast.parse(code)) or path.stem).partition("\n\n")
        section = nodes.section(ids=[path.stem], classes=["gallery-program"])
        section += nodes.title(text=title.rstrip("."))
        up = "../" * self.env.docname.count("/")
        section += nodes.image(uri=f"{up}images/gallery/{path.stem}{_LIGHT}", alt=title)
        section += self.parse_text_to_nodes(about)
        listed = nodes.literal_block(text=_without_docstring(code), language="python")
        section += listed
        section += self._page(path.stem, up)
        return section

    def _page(self, name: str, up: str) -> list[nodes.Node]:
        """A link to its page, where the pages were made."""
        if not (PAGES / "gallery-pages" / f"{name}.html").exists():
            return []
        link = nodes.reference(refuri=f"{up}gallery-pages/{name}.html", text="Open the recording")
        return [nodes.paragraph("", "", link)]


def _without_docstring(code: str) -> str:
    first = ast.parse(code).body[0]
    return "\n".join(code.splitlines()[first.end_lineno :]).strip()


def _listing(text: str) -> nodes.Node:
    return nodes.literal_block(text, text, language="text")


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directives known."""
    app.add_transform(Themes)
    app.add_directive("reading", ReadingOf)
    app.add_directive("commands", Commands)
    app.add_directive("watched", Watched)
    app.add_directive("logs", Logs)
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Writes the front-end's types from the Python structs that travel to it; --check only compares.

The roots are what a page or a widget is given; whatever they hold follows. A struct becomes an
interface, one that travels as an array a tuple with named parts, a docstring a comment. Run it by
`npm run types`, or as `python scripts/generate_types.py`, after a change of such a struct.
"""

from __future__ import annotations

import argparse
import sys
import typing
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import inspect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parents[2])  # this checkout, whatever else is installed

from dynamo_lab.live.budgets import Budgets  # noqa: E402
from dynamo_lab.live.switches import Panel  # noqa: E402
from dynamo_lab.record.cells.ran import RanCell  # noqa: E402
from dynamo_lab.render.export import dot  # noqa: E402
from dynamo_lab.view import View  # noqa: E402
from dynamo_lab.view.code import code  # noqa: E402
from dynamo_lab.view.compare.side_by_side import SideBySideView  # noqa: E402
from dynamo_lab.view.compiler.change import ChangeView  # noqa: E402
from dynamo_lab.view.graphs import kinds, query  # noqa: E402
from dynamo_lab.view.guards.would_pass import WouldPass  # noqa: E402
from dynamo_lab.view.journey.journey import JourneyView  # noqa: E402
from dynamo_lab.view.kernels.assembly import AssemblyView  # noqa: E402
from dynamo_lab.view.kernels.edits import EditView  # noqa: E402
from dynamo_lab.view.messages import (  # noqa: E402
    AnswerMessage,
    AppliedOutcome,
    JobTrialOutcome,
    LoweredOutcome,
    MeasuredOutcome,
    Progress,
    RanMessage,
    TrialOutcome,
)
from dynamo_lab.view.playground import DraftPage, DraftView, PlaygroundView  # noqa: E402
from dynamo_lab.view.steps import playback  # noqa: E402
from dynamo_lab.view.tiny import tiny  # noqa: E402

ROOTS = (View, SideBySideView, Progress, AnswerMessage, RanMessage, JourneyView)
"""What a host is given, and what the kernel tells it later."""

ANSWERS = {
    "would_pass": WouldPass,
    "repartition": Budgets,
    "switches": Panel,
    "assembly": AssemblyView,
    "edit_kernel": EditView,
    "recompile": ChangeView,
    "replan": View,
    "cell": RanCell,
    "playground": PlaygroundView,
    "draft": DraftView,
    "draft_assembly": AssemblyView,
    "draft_page": DraftPage,
}
"""What answers a question of `questions.answer`."""

OUTCOMES = {
    "try_fix": TrialOutcome,
    "try_on_job": JobTrialOutcome,
    "apply": AppliedOutcome,
    "relower": LoweredOutcome,
    "beside": LoweredOutcome,
    "bench": MeasuredOutcome,
    "bisect": MeasuredOutcome,
    "time_kernels": MeasuredOutcome,
    "warm_start": MeasuredOutcome,
    "time_guards": MeasuredOutcome,
}
"""What comes of something that `runs.run` does."""

ALIASES = {"Stop": playback.Stop}
"""Choices that no struct holds, but that the front-end takes from Python."""

TABLES = {
    "MEMORY_KINDS": (tiny.KIND_NAMES, "What takes memory in training, and what it is called."),
    "FIELDS": (query.FIELDS, "What can be asked of a node, each with an example."),
    "STAGES": (query.STAGES, "The stages that `stage:` takes."),
    "WIDENED": (query.WIDENED, "The fields whose values a search may widen."),
    "KINDS": (kinds.KINDS, "The kinds of operators, in the order of their colours."),
    "FILLS": (dot.FILLS, "The colours of KINDS in DOT: inside of a box."),
    "STROKES": (dot.STROKES, "The colours of KINDS in DOT: a box's border."),
}
"""What both languages look up: view/query.py, view/kinds.py and render/export/dot.py say more."""

MARGIN = {"STATES": code.LineState, "MARKS": code.MarkKind}
"""What a line in the margin of a cell can be: JupyterLab's extension trusts nothing else."""

INDEXED = ("LineView", "CostRow", "PhaseView", "DiffLine", "Instruction", "Call", "AddedNode")
"""Tuples whose parts the front-end also asks for one by one: each gets the places of its parts."""

TYPES, LOOKUPS = "src/core/types.generated.ts", "src/core/tables.generated.ts"
MARGINS = "labextension/src/facts.generated.ts"
HEAD = "// Written by scripts/generate_types.py from Python's structs, by `npm run types`.\n"
WIDTH = 110

PLAIN = {
    inspect.StrType: "string",
    inspect.BytesType: "string",  # base64
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
    inspect.AnyType: "unknown",
}


class Names:
    """The names of structs and of choices, of which each means one thing."""

    def __init__(self) -> None:
        self._structs: dict[str, type] = {}
        self._choices: dict[str, set[frozenset[Any]]] = {}

    def of_struct(self, cls: type) -> str:
        """The name of a struct, which no other may have."""
        known = self._structs.setdefault(cls.__name__, cls)
        if known is not cls:
            places = " and ".join(f"{one.__module__}.{one.__name__}" for one in (known, cls))
            sys.exit(f"{places} have one name: rename one, since both travel to the front-end.")
        return cls.__name__

    def of_choice(self, values: Iterable[Any], module: Mapping[str, Any]) -> str:
        """The name that a module has for these values; empty without one, or if it means two."""
        wanted = frozenset(values)
        for name, value in module.items():
            is_named = typing.get_origin(value) is typing.Literal and not name.startswith("_")
            if is_named and frozenset(typing.get_args(value)) == wanted:
                meanings = self._choices.setdefault(name, set())
                meanings.add(wanted)
                return name if len(meanings) == 1 else ""
        return ""


class Writer:
    """The declarations that some types need, each once, in the order in which they are met."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.made: dict[str, str] = {}
        self._module: Mapping[str, Any] = {}

    def add(self, types: Iterable[Any]) -> None:
        """Declare these types and all that they hold."""
        for found in inspect.multi_type_info(types):
            self.text(found)

    def text(self, found: Any) -> str:
        """How a type is written where it is used."""
        match found:
            case inspect.StructType() | inspect.TypedDictType():
                return self._named(found)
            case inspect.LiteralType():
                return self._choice(found.values)
            case inspect.UnionType():
                return " | ".join(self.text(one) for one in found.types)
            case inspect.VarTupleType() | inspect.ListType():
                return f"readonly {self._item(found.item_type)}[]"
            case inspect.TupleType():
                return f"readonly [{', '.join(self.text(one) for one in found.item_types)}]"
            case inspect.DictType():
                return f"Readonly<Record<string, {self.text(found.value_type)}>>"
            case _ if type(found) in PLAIN:
                return PLAIN[type(found)]
            case _:
                sys.exit(f"{found} cannot be told to the front-end.")

    def _item(self, found: Any) -> str:
        text = self.text(found)
        return f"({text})" if " " in text else text

    def _choice(self, values: Iterable[Any]) -> str:
        union = " | ".join(map(literal, values))
        if name := self.names.of_choice(values, self._module):
            self.made.setdefault(name, f"export type {name} = {wrapped(union)};\n")
        return name or union

    def _named(self, found: Any) -> str:
        name = self.names.of_struct(found.cls)
        if name in self.made:
            return name
        self.made[name] = ""  # stands where it was met first, also where it holds itself
        outer, self._module = self._module, vars(sys.modules[found.cls.__module__])
        is_array = isinstance(found, inspect.StructType) and found.array_like
        body = self._tuple(name, found) if is_array else self._interface(name, found)
        self.made[name] = comment(found.cls) + body
        self._module = outer
        return name

    def _interface(self, name: str, found: Any) -> str:
        def field(one: Any) -> str:
            mark = "?" if isinstance(found, inspect.TypedDictType) and not one.required else ""
            return f"  readonly {one.encode_name}{mark}: {self.text(one.type)};\n"

        return f"export interface {name} {{\n{''.join(map(field, found.fields))}}}\n"

    def _tuple(self, name: str, found: Any) -> str:
        parts = [f"{one.encode_name}: {self.text(one.type)}" for one in found.fields]
        text = f"export type {name} = readonly [{', '.join(parts)}];\n"
        if len(text) > WIDTH:
            inner = "".join(f"  {one},\n" for one in parts)
            text = f"export type {name} = readonly [\n{inner}];\n"
        if name not in INDEXED:
            return text
        places = ", ".join(f"{one.encode_name}: {place}" for place, one in enumerate(found.fields))
        return f"{text}export const {constant(name)} = {{ {places} }} as const;\n"


def constant(name: str) -> str:
    """DIFF_LINE for DiffLine, LINE for LineView."""
    spread = (f"_{one}" if one.isupper() else one.upper() for one in name.removesuffix("View"))
    return "".join(spread).lstrip("_")


def literal(value: Any) -> str:
    """A string, number, boolean or None as TypeScript writes it."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return {True: "true", False: "false", None: "null"}.get(value, str(value))


def wrapped(union: str) -> str:
    """A union, over several lines where it is long."""
    return union if len(union) < WIDTH - 20 else "\n  | " + union.replace(" | ", "\n  | ")


def comment(cls: type) -> str:
    """The docstring as a comment."""
    lines = cleandoc(cls.__doc__ or "").replace("*/", "* /").splitlines()
    if len(lines) < 2:
        return f"/** {lines[0]} */\n" if lines else ""
    return "".join(("/**\n", *(f" * {line}".rstrip() + "\n" for line in lines), " */\n"))


def types() -> str:
    """The types of all that travels."""
    names, roots = Names(), (*ROOTS, *ANSWERS.values(), *OUTCOMES.values())
    Writer(names).add(roots)  # once to learn which names mean two things
    writer = Writer(names)
    writer.add(roots)
    for name, choice in ALIASES.items():
        writer.made[name] = (
            f"export type {name} = {' | '.join(map(literal, typing.get_args(choice)))};\n"
        )
    for name, kinds_of, says in (
        ("Answers", ANSWERS, "What answers a question, by its name."),
        ("Outcomes", OUTCOMES, "What comes of a run, by the name of what is done."),
    ):
        fields = "".join(f"  readonly {key}: {cls.__name__};\n" for key, cls in kinds_of.items())
        writer.made[name] = f"/** {says} */\nexport interface {name} {{\n{fields}}}\n"
    return "\n".join((HEAD, *writer.made.values()))


def tables() -> str:
    """The tables that both languages look up."""
    return "\n".join((HEAD, *(table(name, value, says) for name, (value, says) in TABLES.items())))


def table(name: str, value: Any, says: str | None) -> str:
    """One of them."""
    head = f"/** {cleandoc(says or '').splitlines()[0]} */\nexport const {name}"
    if isinstance(value, dict):
        rows = "".join(f"  {key}: {literal(one)},\n" for key, one in value.items())
        return f"{head}: Readonly<Record<string, string>> = {{\n{rows}}};\n"
    rows = "".join(f"  {literal(one)},\n" for one in value)
    return f"{head}: readonly string[] = [\n{rows}];\n"


def margins() -> str:
    """The choices that JupyterLab's extension knows."""
    rows = (
        f"export const {name} = [{', '.join(map(literal, typing.get_args(choice)))}] as const;\n"
        for name, choice in MARGIN.items()
    )
    return "\n".join((HEAD, *rows))


FILES: dict[str, Callable[[], str]] = {TYPES: types, LOOKUPS: tables, MARGINS: margins}


def stale() -> Iterator[tuple[Path, str]]:
    """The files that are not what is to be in them, each with its text to be."""
    for name, write in FILES.items():
        path, text = HERE.parent / name, write()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path, text


def main() -> None:
    """Write the files, or complain of those that are not up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail on a difference")
    is_check = parser.parse_args().check
    found = list(stale())
    if is_check and found:
        names = ", ".join(path.name for path, _ in found)
        sys.exit(f"{names}: not what the structs in Python say. Run `npm run types` and commit it.")
    for path, text in found:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

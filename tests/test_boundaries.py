"""The house keeps its shape: arrows one way, no circle, small rooms, private torch in one of them.

Each rule names what breaks it, as a list that is empty of our own code; of a made-up tree that
breaks it, it is not. Tests are held to the bounds of size as well.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import dynamo_lab

ROOT = Path(dynamo_lab.__file__).parent
TESTS = Path(__file__).parent

FACTS = {"errors", "model"}
LOOKS = {*FACTS, "measure", "view", "render"}
LIVE = {*LOOKS, "capture", "record", "live"}
API = {*LIVE, "bench", "tiny", "api"}

MAY_IMPORT = {
    "errors": set[str](),
    "model": FACTS,
    "measure": {*FACTS, "measure"},
    "view": {*FACTS, "measure", "view"},  # of measure the statistics, which need no torch
    "render": LOOKS - {"measure"},
    "capture": {*FACTS, "capture"},
    "compiler": {*FACTS, "measure", "capture", "compiler"},
    "tiny": {*LOOKS, "capture", "compiler", "tiny"},
    "record": {*FACTS, "capture", "record"},
    "live": {*LIVE, "compiler"},  # which assembles what it printed itself
    "bench": {*LIVE, "bench"},
    "api": API,
    "notebook": {*API, "notebook"},
    "testing": {*API, "testing"},
    "course": {*API, "compiler", "course"},
    "suite": {*LIVE - {"live"}, "suite"},
    "cli": {*API, "course", "suite", "cli"},
    "__main__": {"errors", "cli"},
    "__init__": {*API, "compiler", "notebook", "course"},
}
"""What of dynamo_lab the modules of each room may name, in whatever part of them."""

MOST_IN_THE_HALL = 4
MOST_MODULES = 20
MOST_LINES = 350

Rule = Callable[[Path], list[str]]


def modules(root: Path) -> dict[str, Path]:
    """Every module of the package by name; the front-end's scripts are tools of its own."""
    found: dict[str, Path] = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if parts[0] != "frontend":
            found[".".join((root.name, *parts)).removesuffix(".__init__")] = path
    return found


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


class Named(NamedTuple):
    """What a module names of others."""

    imported: tuple[str, ...]
    """What it imports, in functions and for types too; "." for a relative import."""

    of_torch: tuple[str, ...]
    """What it takes of the name `torch`, apart from its version."""


def named(path: Path) -> Named:
    return _named(path.read_text(encoding="utf-8"))


@cache  # three rules ask, and a text is parsed once
def _named(text: str) -> Named:
    imported: list[str] = []
    of_torch: list[str] = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=aliases):
                imported += [alias.name for alias in aliases]
            case ast.ImportFrom(module=module, names=aliases, level=level):
                imported += ["." if level else f"{module}.{alias.name}" for alias in aliases]
            case ast.Attribute(value=ast.Name(id="torch"), attr=name) if name[:2] != "__":
                of_torch.append(name)
            case _:
                pass
    return Named(tuple(imported), tuple(of_torch))


def against_the_arrows(root: Path) -> list[str]:
    found = {
        f"{module} imports {name}"
        for module, path in modules(root).items()
        for name in named(path).imported
        if name == "." or name.startswith(f"{root.name}.")
        if room_of(name) not in MAY_IMPORT.get(room_of(module), ())
    }
    return sorted(found)


def rooms_without_arrows(root: Path) -> list[str]:
    return sorted({room_of(module) for module in modules(root)} - MAY_IMPORT.keys())


def needs(root: Path) -> dict[str, set[str]]:
    """The modules that each module imports; that of all public names is at the top of them all."""
    known = modules(root)
    found: dict[str, set[str]] = {}
    for module, path in known.items():
        names = named(path).imported
        owners = {name if name in known else name.rpartition(".")[0] for name in names}
        found[module] = (owners & known.keys()) - {module, root.name}
    return found


def circles(root: Path) -> list[str]:
    try:
        TopologicalSorter[str](needs(root)).prepare()
    except CycleError as error:
        return [" <- ".join(error.args[1])]
    return []


def full_rooms(root: Path) -> list[str]:
    counts = Counter(path.parent for path in modules(root).values() if path.stem != "__init__")
    return [f"{room} has {count}" for room, count in counts.items() if count > MOST_MODULES]


def full_hall(root: Path) -> list[str]:
    hall = [path.name for path in modules(root).values() if path.parent == root]
    return hall if len(hall) > MOST_IN_THE_HALL else []


def long_modules(root: Path) -> list[str]:
    lengths = {
        module: len(path.read_text(encoding="utf-8").splitlines())
        for module, path in modules(root).items()
    }
    return [f"{module}: {count}" for module, count in lengths.items() if count > MOST_LINES]


def private_torch(root: Path) -> list[str]:
    """What modules outside of capture import of `torch._dynamo` and its like, or reach for."""
    found: list[str] = []
    for module, path in modules(root).items():
        if room_of(module) != "capture":
            names, of_torch = named(path)
            found += [f"{module}: {name}" for name in names if is_private_torch(name)]
            found += [f"{module}: torch.{name}" for name in of_torch if name[0] == "_"]
    return found


def is_private_torch(name: str) -> bool:
    first, *rest = name.split(".")
    return first == "torch" and any(part[:1] == "_" and part[:2] != "__" for part in rest)


READ_IN = ("model", "view", "render")
READ_WITH = ("api.check", "api.diff", "api.recording", "__main__")


def reading_with_torch(root: Path) -> list[str]:
    """The last words of a process that imports what reads recordings, if torch comes with it."""
    known = modules(root)
    needed = {f"{root.name}.{name}" for name in READ_WITH} & known.keys()
    names = [root.name, *sorted(needed), *(name for name in known if room_of(name) in READ_IN)]
    code = f"""
import importlib, sys
for name in {names!r}:
    importlib.import_module(name)
    assert "torch" not in sys.modules, name
    assert "IPython.terminal" not in sys.modules, name
"""
    path = os.pathsep.join([str(root.parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root.parent,  # which comes first, also before what is installed
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    return done.stderr.splitlines()[-1:] if done.returncode else []


RULES: tuple[Rule, ...] = (
    against_the_arrows,
    rooms_without_arrows,
    circles,
    full_rooms,
    full_hall,
    long_modules,
    private_torch,
    reading_with_torch,
)

BROKEN: tuple[tuple[Rule, Mapping[str, str], str], ...] = (
    (against_the_arrows, {"model/a.py": "import dynamo_lab.view.b"}, "model.a imports"),
    (against_the_arrows, {"record/a.py": "def f():\n    from dynamo_lab import live"}, "live"),
    (against_the_arrows, {"api/a.py": "from dynamo_lab.notebook.b import c"}, "notebook.b.c"),
    (against_the_arrows, {"cli/a.py": "from . import b"}, "cli.a imports ."),
    (rooms_without_arrows, {"attic/a.py": ""}, "attic"),
    (
        circles,
        {
            "api/a.py": "if TYPE_CHECKING:\n    from dynamo_lab.api.b import B",
            "api/b.py": "def f():\n    from dynamo_lab.api import a",
        },
        "dynamo_lab.api.a",
    ),
    (full_rooms, {f"view/a{i}.py": "" for i in range(MOST_MODULES + 1)}, f"{MOST_MODULES + 1}"),
    (full_hall, {f"a{i}.py": "" for i in range(MOST_IN_THE_HALL + 1)}, "a0.py"),
    (long_modules, {"view/a.py": "\n" * (MOST_LINES + 1)}, f"view.a: {MOST_LINES + 1}"),
    (private_torch, {"live/a.py": "from torch._dynamo import reset"}, "torch._dynamo.reset"),
    (private_torch, {"live/a.py": "def f():\n    from torch import _C"}, "torch._C"),
    (private_torch, {"live/a.py": "import torch\ntorch._dynamo.reset()"}, "torch._dynamo"),
    (reading_with_torch, {"view/a.py": "import torch"}, "AssertionError: dynamo_lab.view.a"),
)

OF_TESTS: tuple[Rule, ...] = (full_rooms, long_modules)

LARGE_TESTS: tuple[tuple[Rule, Mapping[str, str], str], ...] = (
    (
        full_rooms,
        {f"view/{name}.py": "" for name in ("conftest", *map("test_{}".format, range(20)))},
        "view has 21",
    ),
    (full_rooms, {f"test_{i}.py": "" for i in range(MOST_MODULES + 1)}, "tests has 21"),
    (long_modules, {"view/test_a.py": "\n" * (MOST_LINES + 1)}, "tests.view.test_a: 351"),
    (long_modules, {"view/samples/a.py": "\n" * (MOST_LINES + 1)}, "tests.view.samples.a: 351"),
)


@pytest.mark.parametrize("rule", RULES)
def test_the_house_keeps_each_rule(rule: Rule) -> None:
    assert rule(ROOT) == []


@pytest.mark.parametrize("rule", OF_TESTS)
def test_tests_keep_the_bounds_too(rule: Rule) -> None:
    assert rule(TESTS) == []


def made_up(folder: Path, files: Mapping[str, str], package: str = "dynamo_lab") -> Path:
    """A package of these files and no others, beside a torch that has nothing in it."""
    root = folder / package
    for name, text in {"__init__.py": "", "../torch.py": "", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(("rule", "files", "said"), BROKEN)
def test_a_tree_that_breaks_a_rule_is_found_out(
    rule: Rule, files: Mapping[str, str], said: str, tmp_path: Path
) -> None:
    assert any(said in line for line in rule(made_up(tmp_path, files)))


@pytest.mark.parametrize(("rule", "files", "said"), LARGE_TESTS)
def test_tests_beyond_the_bounds_are_found_out(
    rule: Rule, files: Mapping[str, str], said: str, tmp_path: Path
) -> None:
    (found,) = rule(made_up(tmp_path, files, "tests"))
    assert said in found


def test_a_tree_of_right_files_breaks_none(tmp_path: Path) -> None:
    files = {
        "model/facts.py": "A = 1",
        "view/facts.py": "from dynamo_lab.model.facts import A",
        "capture/probe.py": "def f():\n    import torch._dynamo",
        "api/facts.py": "from dynamo_lab.view import facts\nimport torch\ntorch.__version__",
    }
    root = made_up(tmp_path, files)
    assert [line for rule in RULES for line in rule(root)] == []


def test_every_rule_has_a_tree_that_breaks_it() -> None:
    assert {rule for rule, _, _ in BROKEN} == set(RULES)
    assert {rule for rule, _, _ in LARGE_TESTS} == set(OF_TESTS)

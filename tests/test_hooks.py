"""The tables of private names are complete: no module of the capture takes one from elsewhere."""

from __future__ import annotations

import ast
import importlib
import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import dynamo_lab
from dynamo_lab.capture.core.private import OLDEST, Private, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

CAPTURE = Path(dynamo_lab.__file__).parent / "capture"
TABLES = sorted(CAPTURE.glob("*/hooks.py"))
FILES = sorted(path for path in CAPTURE.rglob("*.py") if path.name != "hooks.py")


def rows() -> Iterator[tuple[str, Private]]:
    """Each row with the noun that it is of."""
    for path in TABLES:
        table = importlib.import_module(f"dynamo_lab.capture.{path.parent.name}.hooks")
        for row in rows_of(table):
            yield path.parent.name, row


def is_private(dotted: str) -> bool:
    """Whether a dotted name reaches into PyTorch where it promises nothing."""
    first, *rest = dotted.split(".")
    is_experimental = dotted.startswith("torch.fx.experimental")
    return first == "torch" and (is_experimental or any(_is_hidden(part) for part in rest))


def _is_hidden(part: str) -> bool:
    return part.startswith("_") and not part.startswith("__")


def private_names(tree: ast.AST) -> Iterator[str]:
    """The private names that code imports, reaches for by attribute, or imports by a string."""
    for node in ast.walk(tree):
        found: list[str] = []
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            found = [ast.unparse(node)]
        elif isinstance(node, ast.Call) and _is_import(node.func):
            found = [part.strip("f'\"") for part in map(ast.unparse, node.args)]
        yield from filter(is_private, found)


def _is_import(function: ast.expr) -> bool:
    name = ast.unparse(function).rpartition(".")[2]
    return name in ("import_module", "__import__", "resolve_name")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(CAPTURE).as_posix())
def test_private_names_are_taken_from_the_tables_alone(path: Path) -> None:
    assert list(private_names(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "code",
    [
        "import torch._dynamo",
        "from torch._inductor.ir import Loops",
        "def f():\n    from torch import _guards",
        "from torch.utils._pytree import tree_map",
        "from torch.fx.experimental import proxy_tensor",
        "torch._C._current_autograd_node()",
        "importlib.import_module(f'torch._refs{place}')",
    ],
)
def test_a_private_name_elsewhere_is_found(code: str) -> None:
    assert list(private_names(ast.parse(code)))


def test_each_row_says_what_is_lost_in_one_sentence() -> None:
    known = list(rows())
    assert len(known) > 200
    for noun, row in known:
        assert row.lost.endswith("."), (noun, row.path)
        assert row.lost[0].islower() or row.lost.startswith(
            ("AOT", "C++", "Dynamo", "Inductor", "Triton")
        )
        assert ". " not in row.lost, (noun, row.path)
        assert row.since >= OLDEST


def test_a_table_has_a_name_once() -> None:
    for noun, of_noun in itertools.groupby(rows(), key=lambda one: one[0]):
        paths = [row.path for _, row in of_noun]
        twice = {path for path in paths if paths.count(path) > 1}
        assert twice <= {"torch._inductor.ir.Loops", "torch._inductor.config"}, (noun, twice)


def test_all_that_is_expected_of_this_release_is_there() -> None:
    assert [(noun, row.path) for noun, row in rows() if row.is_expected and not row.exists] == []

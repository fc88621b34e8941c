"""What the pages on exports, CI and Binder tell a reader to type is understood."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
from pathlib import Path

import pytest

import dynamo_lab
from dynamo_lab.cli.parser import parse
from dynamo_lab.render.export.formats import how_to_open
from dynamo_lab.testing.fixture import CompileCheck

DOCS = Path(__file__).parents[1] / "notebooks" / "docs"
PAGES = [DOCS / name for name in ("export.md", "ci.md", "binder.md")]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(
        rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_is_ours(page: Path) -> None:
    for block in blocks(page, "python"):
        tree = ast.parse(re.sub(r"^[!%]", "#", block, flags=re.MULTILINE))
        named = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "lab"
        }
        assert named <= set(dynamo_lab.__all__)


def test_commands_are_understood() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    commands = re.findall(r"^ *(?:- run: )?dynamo-lab (.+)$", text, flags=re.MULTILINE)
    assert len(commands) >= 4
    for command in commands:
        options = parse(shlex.split(command, comments=True))
        assert options.command in ("export", "check", "dot")


def test_formats_and_options_are_there() -> None:
    export = (DOCS / "export.md").read_text(encoding="utf-8")
    named = set(re.findall(r'rec\.export\("[^"]+", "([^"]+)"\)', export))
    assert named == {"perfetto", "model-explorer", "tritonparse"}
    assert all(how_to_open(name) for name in named)
    known = set(inspect.signature(CompileCheck.__call__).parameters)
    page = DOCS / "ci.md"
    calls = [
        node
        for block in blocks(page, "python")
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "compile_check"
    ]
    assert calls
    options = {keyword.arg for call in calls for keyword in call.keywords}
    assert options - known == {"target"}  # which is the function's own

"""A file that was edited after its import is not shown as if it had run."""

import importlib.util
import linecache
import sys
from collections.abc import Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.render import terminal
from dynamo_lab.view import build
from dynamo_lab.view.code.code import CHANGED

MODEL = """
import functools
import torch

def helper(x):
    return x.sin()

@functools.lru_cache(None)
def constant():
    return 2

class Scaled(torch.nn.Module):
    def forward(self, x):
        return helper(x) * 2

@torch.no_grad()
def f(x):
    return helper(x) + constant()

def broken(x):
    y = helper(x)
    torch._dynamo.graph_break()
    return y + 1
"""


@pytest.fixture
def module(tmp_path: Path) -> Generator[ModuleType, None, None]:
    path = tmp_path / "edited_model.py"
    path.write_text(MODEL, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("edited_model", path)
    assert spec is not None
    assert spec.loader is not None
    made = sys.modules["edited_model"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    yield made
    del sys.modules["edited_model"]
    linecache.checkcache(str(path))


def notices(fn: Any) -> tuple[list[str], str]:
    view = build(lab.explore(fn, torch.ones(3), backend="eager"))
    text = terminal.render(view, sections=("code",))
    return [s.notice for s in view.sources if s.label == "edited_model.py"], text


def edit(module: ModuleType, old: str, new: str) -> None:
    assert module.__file__ is not None
    path = Path(module.__file__)
    path.write_text(MODEL.replace(old, new), encoding="utf-8")
    linecache.checkcache(str(path))


@pytest.mark.parametrize("name", ["f", "Scaled"])
def test_an_unchanged_file_has_no_notice(module: ModuleType, name: str) -> None:
    fn = getattr(module, name)
    found, text = notices(fn() if name == "Scaled" else fn)
    assert found == [""]
    assert "changed after" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x.sin()", "x.cos()"),  # in a function that is inlined
        ("+ constant()", "- constant()"),
        ("import functools\n", "import functools\n\n\n"),  # the lines move
        ("def f(x):", "def f(x"),  # half edited
    ],
)
def test_an_edited_file_says_that_what_ran_is_older(module: ModuleType, old: str, new: str) -> None:
    edit(module, old, new)
    found, text = notices(module.f)
    assert found == [CHANGED]
    assert "This file changed after it was imported" in text


def test_an_edit_of_a_comment_that_moves_nothing_changes_nothing(module: ModuleType) -> None:
    edit(module, "\nimport functools\n", "# a comment\nimport functools\n")
    assert notices(module.f)[0] == [""]


def test_what_an_import_hook_rewrites_is_not_said_to_have_changed() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        assert x.ndim == 1  # pytest rewrites this
        return x + 1

    view = build(lab.explore(f, torch.ones(3), backend="eager"))
    assert {source.notice for source in view.sources} == {""}


def test_functions_that_continue_after_a_break_are_no_edit(module: ModuleType) -> None:
    assert notices(module.broken)[0] == [""]
    assert notices(module.f)[0] == [""], "a resume function is a global of the module now"

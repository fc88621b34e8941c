"""The pages are about what there is: their names are public, and every view has one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import dynamo_lab
from dynamo_lab.view.help.help import READINGS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "notebooks" / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_its_python_is_ours(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
        ast.parse(re.sub(r"^[%!]", "#", block, flags=re.MULTILINE))
        assert set(re.findall(r"\blab\.(\w+)", block)) <= set(dynamo_lab.__all__)
        fields = set(re.findall(r"\brec\.(\w+)", block))
        assert [field for field in fields if not hasattr(dynamo_lab.Recording, field)] == []


def test_every_view_has_a_page_with_a_picture_and_how_to_read_it() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("views/*.md"))
    for reading in READINGS:
        assert f"/images/{reading.view}-light.png)" in pages
        assert f"```{{reading}} {reading.view}\n" in pages


def test_every_picture_is_there_in_both_themes_and_small() -> None:
    images = ROOT / "notebooks" / "images"
    pages = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    named = set(re.findall(r"!\[[^]]+\]\([./]*images/(\S+)-light\.png\)", pages))
    named |= {f"gallery/{path.stem}" for path in DOCS.glob("gallery/*.py")}
    expected = {f"{name}-{theme}.png" for name in named for theme in ("light", "dark")}
    there = {path.relative_to(images).as_posix(): path for path in images.rglob("*.png")}
    assert set(there) == expected
    assert {
        name: size for name, path in there.items() if (size := path.stat().st_size) > 150_000
    } == {}
    assert sum(path.stat().st_size for path in there.values()) < 5_500_000


def test_the_table_of_costs_has_every_benchmark() -> None:
    text = (DOCS / "guide" / "how_it_works.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE)
    assert rows
    folder = ROOT / "tests/benchmarks"
    names = {path.stem for path in folder.glob("[a-z]*.py")}
    names |= {path.parent.name for path in folder.glob("*/__main__.py")}
    assert set(rows) == names

"""The site builds without a warning and without a network, and its links lead somewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.release


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built of notebooks of which someone ran and saved one, widgets and all."""
    for needed in ("sphinx", "myst_nb", "furo"):
        if not os.environ.get("CI"):
            pytest.importorskip(needed, reason="needs the site's tools: pip install -e '.[docs]'")
    out, sources = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("sources") / "notebooks"
    shutil.copytree(ROOT / "notebooks", sources)
    _run_and_saved(sources / "00_start_here.ipynb")
    command = ["-W", "--keep-going", "-q", "-c", "notebooks/docs", str(sources), str(out)]
    offline = {name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy")}
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *command],
        cwd=ROOT,
        env={**os.environ, **offline, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return out


def _run_and_saved(path: Path) -> None:
    """Give a notebook what JupyterLab saves with it once it showed a widget."""
    notebook = nbformat.read(path, as_version=4)
    layout = {"model_module": "@jupyter-widgets/base", "model_module_version": "2.0.0"}
    model = {"model_name": "LayoutModel", **layout, "state": {}}
    state = {"version_major": 2, "version_minor": 0, "state": {"a": model}}
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": state}
    nbformat.write(notebook, path)


class _Page(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)


def test_links_inside_lead_somewhere(site: Path) -> None:
    pages = {path: _Page(path) for path in site.rglob("*.html")}
    assert len(pages) > 30
    lost: list[str] = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages.get(target)
            is_lost = known and parts.fragment and parts.fragment not in known.places
            if not target.exists() or is_lost:
                lost.append(f"{path.relative_to(site)}: {link}")
    assert lost == []


def test_it_needs_no_network(site: Path) -> None:
    """What a page loads, unlike what it links to, is in the site."""
    for path in site.rglob("*.html"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "<script" in line or "<link" in line or "<img" in line:
                assert 'src="http' not in line
                assert 'rel="stylesheet" href="http' not in line


def test_it_says_what_the_views_say(site: Path) -> None:
    page = (site / "docs/views/breaks.html").read_text(encoding="utf-8")
    assert "A break is where the graph had to end" in page
    assert "usage: dynamo-lab" in (site / "docs/reference/command_line.html").read_text("utf-8")
    api = (site / "docs/reference/api.html").read_text(encoding="utf-8")
    facts = (site / "docs/reference/facts.html").read_text(encoding="utf-8")
    assert 'id="dynamo_lab.explore"' in api
    assert 'id="dynamo_lab.model.breaks.Break"' in facts


def test_every_public_name_is_explained(site: Path) -> None:
    import dynamo_lab

    page = _Page(site / "docs/reference/api.html")
    for name in dynamo_lab.__all__:
        assert {f"dynamo_lab.{name}", f"module-dynamo_lab.{name}"} & page.places, name
    for name in (
        "api.traces.Ranks",
        "api.side_by_side.SideBySide",
        "testing.fixture.CompileCheck.__call__",
    ):
        assert f"dynamo_lab.{name}" in page.places

"""Take the pictures of these pages from real runs.

Use: `python notebooks/docs/pictures.py [NAME ...] [--to FOLDER]`, all of them without a name. Each
is taken twice, for light and dark pages, of an offline page or of JupyterLab in headless Chromium.
Needs `pip install -e '.[lab,test,docs]'` and a Chromium.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import jupyterlab_shot
from make_gallery import names, run
from PIL import Image
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2]))  # the tests are not installed
from tests.benchmarks.core.chromium import find_chromium
from tests.fixtures.tabs import open_tab

IMAGES = Path(__file__).parents[1] / "images"
SIZE = {"width": 1120, "height": 620}
FREQUENT, RARE = 96, 32

# Of a view that scrolls, what was asked for is to be seen.
_TO_THE_TOP = """(button) => {
  const view = button.closest(".dl-scroll");
  const top = (element) => element.getBoundingClientRect().top;
  if (view) view.scrollTop += top(button) - top(view) - 12;
}"""

VIEWS = {
    "overview": "breaking > overview",
    "findings": "breaking > overview",
    "code": "breaking > breaks",
    "breaks": "breaking > breaks",
    "steps": "breaking > steps > node > node > node",
    "frames": "breaking > frames",
    "guards": "recompiling > guards",
    "shapes": "recompiling > guards > Shapes",
    "modules": "gpt2_block > modules",
    "graphs": "gpt2_block > graphs",
    "autograd": "checkpointed > autograd",
    "decompositions": "softmax_gelu > decompositions",
    "passes": "attention > passes",
    "lowering": "softmax_gelu > lowering",
    "compiler": "own_compiler > compiler",
    "choices": "choices > choices",
    "attention": "attention_choice > attention",
    "fast_path": "fast_path > fast_path",
    "fusion": "softmax_gelu > fusion",
    "pairs": "resnet_block > fusion > Pairs",
    "memory": "resnet_block > memory",
    "playground": "softmax_gelu > playground",
    "kernels": "softmax_gelu > kernels",
    "bench": "measured > bench",
    "roofline": "measured > roofline",
    "package": "ahead_of_time > package",
    "ranks": "ranks_in_time > ranks",
    "timeline": "softmax_gelu > timeline",
    "logs": "recompiling > logs",
    "artifacts": "two_ranks > artifacts",
}
"""Of a view the program that shows it, the tab, and what to press there."""


_PARTS = {"code": ".dl-left", "findings": ".dl-findings"}
"""Of a page only this part."""


def main() -> None:
    """Take the pictures that are asked for."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*")
    options.add_argument("--to", type=Path, default=IMAGES)
    asked = options.parse_args()
    every = ["notebook", *VIEWS, *(f"gallery/{name}" for name in names())]
    with tempfile.TemporaryDirectory() as folder, browser() as pages:
        shots = Shots(Path(folder), pages)
        for name in asked.names or every:
            for theme in ("light", "dark"):
                path = asked.to / f"{name}-{theme}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                shots.take(name, theme, path)
                print(f"{optimised(path) / 1000:6.0f} kB  {path}", flush=True)


@contextmanager
def browser() -> Iterator[Callable[[str, dict[str, int]], Any]]:
    """What opens an empty page in a theme, of a size."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium())

        def page(theme: str, size: dict[str, int]) -> Any:
            return chromium.new_context(color_scheme=theme, viewport=size).new_page()  # type: ignore[arg-type]

        yield page
        chromium.close()


class Shots:
    """Pictures of programs that each run once."""

    def __init__(self, folder: Path, pages: Callable[[str, dict[str, int]], Any]) -> None:
        self._folder = folder
        self._pages = pages
        self._page_of = cache(self._record)

    def take(self, name: str, theme: str, path: Path) -> None:
        """Take one picture."""
        if name == "notebook":
            self._notebook(theme, path)
            return
        program, _, tab = VIEWS.get(name, "").partition(" > ")
        if name.startswith("gallery/"):
            program = name.removeprefix("gallery/")
            tab = self._page_of(program)[1]
        page = self._pages(theme, SIZE)
        page.goto(self._page_of(program)[0].as_uri())
        self._show(page, *tab.split(" > "))
        of = page.locator(_PARTS[name]) if name in _PARTS else page
        of.screenshot(path=path)
        page.context.close()

    def _record(self, program: str) -> tuple[Path, str]:
        recording, view = run(program)
        path = self._folder / f"{program}.html"
        recording.to_html(path)
        return path, view

    def _notebook(self, theme: str, path: Path) -> None:
        folder = self._folder / f"lab-{theme}"
        folder.mkdir()
        with jupyterlab_shot.server(folder, theme) as url:
            page = self._pages(theme, {"width": 1280, "height": 820})
            jupyterlab_shot.take(page, url, path)
            page.context.close()

    def _show(self, page: Any, tab: str, *buttons: str) -> None:
        open_tab(page, tab)
        for name in buttons:
            button = page.locator(".dl-panel").get_by_role("button", name=name).first
            button.click()
            button.evaluate(_TO_THE_TOP)
        page.mouse.move(0, 0)
        page.wait_for_timeout(1500)  # for the layout, which a worker makes


def optimised(path: Path) -> int:
    """Write the picture with few colours, which is all a view has; its bytes then."""
    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    few = picture.quantize(palette=_palette(picture), dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    return path.stat().st_size


def _palette(picture: Image.Image) -> Image.Image:
    """The most frequent colours as they are, so that areas keep theirs, and some for all others."""
    counted = picture.getcolors(picture.width * picture.height) or []
    frequent = [colour for _, colour in sorted(counted, reverse=True)[:FREQUENT]]
    others = picture.quantize(RARE, method=Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in frequent for part in colour] + others[: 3 * RARE])
    return palette


if __name__ == "__main__":
    main()

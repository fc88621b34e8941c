"""Run the programs of the gallery and write the page of each.

Use: `python notebooks/docs/make_gallery.py [NAME ...]`, all of them without a name. The pages
are written again for each site and are not committed; `sphinx-build` includes them.
"""

import runpy
import sys
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).parent / "gallery"
PAGES = PROGRAMS / "pages" / "gallery-pages"


def names() -> list[str]:
    """What programs there are."""
    return sorted(path.stem for path in PROGRAMS.glob("*.py"))


def run(name: str) -> tuple[Any, str]:
    """The recording of a program, and the view to look at first, as "tab > button"."""
    made = runpy.run_path(str(PROGRAMS / f"{name}.py"))
    return made["rec"], made["VIEW"]


def main() -> None:
    """Write the pages."""
    PAGES.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or names():
        page = PAGES / f"{name}.html"
        run(name)[0].to_html(page)
        print(page)


if __name__ == "__main__":
    main()

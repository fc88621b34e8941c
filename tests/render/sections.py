"""A printed recording taken apart, so that its goldens have a file for each section."""

import re

from tests.fixtures.goldens import file_name

_HEADING = re.compile(r"^(?=\S.* ─+$)", re.MULTILINE)


def by_section(text: str) -> dict[str, str]:
    """The sections that the terminal prints, by their headings; "sections" has their order."""
    return named(_HEADING.split(text))


def named(parts: list[str]) -> dict[str, str]:
    """Parts of a text by what each begins with; the first has no heading."""
    head, *sections = parts
    names = [_name(section) for section in sections]
    assert len(set(names)) == len(names), names
    order = "".join(f"{name}\n" for name in names)
    return {"head": head, "sections": order, **dict(zip(names, sections, strict=True))}


def _name(section: str) -> str:
    """What a heading says before its numbers: "Breaks" of "Breaks  2 ───"."""
    heading, _, _ = section.partition("\n")
    return file_name(re.split(r"  | ─", heading)[0]).lower()

"""The compiler stays as short as it is: who makes it longer does so knowingly."""

from __future__ import annotations

from tests.compiler.length.lines import ROOT, by_part, code_lines, sizes

MOST = {"": 5359, "live": 794, "recorded": 619}
"""Lines of code of each part; `python -m tests.compiler.length.lines` has them by file."""
LONGEST = 400


def test_only_code_is_counted() -> None:
    text = '"""A\nhead."""\n\n# why\nx = (\n    1,\n)\n\n'
    text += 'def f():\n    """Says."""\n    return """a\nb"""\n'
    assert code_lines(text) == 6


def test_the_compiler_is_no_longer_than_it_is_said_to_be() -> None:
    parts = by_part(sizes())
    assert {part for part, most in MOST.items() if parts[part] > most} == set()


def test_each_file_is_read_in_one_go() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in ROOT.rglob("*.py")}
    assert {name: count for name, count in lengths.items() if count > LONGEST} == {}

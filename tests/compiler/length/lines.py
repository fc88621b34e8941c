"""How long the compiler is: `python -m tests.compiler.length.lines` prints it by file.

Counted are lines of Python that hold a token of code: no blank lines, comments or docstrings. What
is C or Metal stands in files of its own language, which are counted apart.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[3] / "dynamo_lab" / "compiler"
BESIDE = {"live": "changing it while it runs", "recorded": "what a recording knows of it"}
"""Folders that are about the compiler, and no part of it."""
_NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
}  # fmt: skip


def code_lines(text: str) -> int:
    """The lines that hold code."""
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            found |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str()), lineno=first, end_lineno=int(last)):
                found -= set(range(first, last + 1))
            case _:
                pass
    return len(found)


def sizes() -> dict[str, int]:
    """The lines of code by file, below the compiler's folder."""
    return {
        path.relative_to(ROOT).as_posix(): code_lines(path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.rglob("*.py"))
    }


def by_part(found: dict[str, int]) -> Counter[str]:
    """The lines of the compiler itself under "", and of each folder beside it."""
    made: Counter[str] = Counter()
    for name, count in found.items():
        folder = name.partition("/")[0]
        made[folder if folder in BESIDE else ""] += count
    return made


def main() -> None:
    """Print every file, and what the parts come to."""
    found = sizes()
    for name, count in found.items():
        print(f"{count:6} {name}")
    parts = by_part(found)
    print(f"{parts['']:6} the compiler itself")
    for path in sorted([*ROOT.rglob("*.h"), *ROOT.rglob("*.metal")]):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        print(f"{lines:6} {path.relative_to(ROOT).as_posix()}, which is no Python")
    for folder, about in BESIDE.items():
        print(f"{parts[folder]:6} {folder}/: {about}")


if __name__ == "__main__":
    main()

"""Write the table of the compiler's operators and rules from the tables in its code.

python notebooks/docs/operators.py
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from pathlib import Path

from dynamo_lab.compiler.operators import OPERATORS, STRUCTURE, Spelled
from dynamo_lab.compiler.rules import RULES

PAGE = Path(__file__).parent / "reference" / "compiler_operators.md"

HEAD = """# The compiler's operators

Written by `notebooks/docs/operators.py` from the tables in `dynamo_lab/compiler`: see
[A compiler to read](compiler.md).

## The loop IR

In a template `{0}` and `{1}` are the operands as written, `{f}` is C's suffix for float32, and
`{t}` the type of the result. Where integers are written otherwise, theirs stands after the floats'.

| operator | operands | meaning | C | Triton | Metal |
|---|---|---|---|---|---|
"""

BETWEEN = """
These each target's printer writes by itself, because they touch memory or control:

| operator | meaning |
|---|---|
"""

RULES_HEAD = """
## Operators of ATen with a rule

What is not here is decomposed, or computed by ATen. A rule may still leave a
call to ATen: the program's `fallbacks` say why.
"""


def page() -> str:
    """The text of the page."""
    rows = [
        f"| `{one.name}` | {one.operands} | {_cell(one.meaning)} | {_spelling(one.c)} "
        f"| {_spelling(one.triton)} | {_spelling(one.metal)} |"
        for one in OPERATORS.values()
    ]
    structure = [f"| `{name}` | {_cell(meaning)} |" for name, meaning in STRUCTURE.items()]
    return HEAD + "\n".join(rows) + "\n" + BETWEEN + "\n".join(structure) + "\n" + _rules()


def _rules() -> str:
    by_file = defaultdict[str, dict[str, None]](dict)
    for target, rule in RULES.items():
        packet, _, _ = str(target).rpartition(".")
        by_file[inspect.unwrap(rule).__module__.rpartition(".")[2]][packet] = None
    sections = [
        f"\n`rules/{file}.py`: {', '.join(f'`{name}`' for name in sorted(names))}\n"
        for file, names in sorted(by_file.items())
    ]
    return RULES_HEAD + "".join(sections)


def _spelling(spelled: Spelled) -> str:
    texts = [spelled] if isinstance(spelled, str) else spelled
    return ", ".join(f"`{_cell(text)}`" for text in texts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

"""The text of each lowering rule in each language, as it was looked at: one file for each.

`--update-golden` accepts what the printers write now. A rule without a golden fails, and so does
one for which `rule_programs` finds no program.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dynamo_lab.compiler.targets.c import C
from dynamo_lab.compiler.targets.metal import Metal
from dynamo_lab.compiler.targets.triton import Triton
from tests.compiler.rules.rule_programs import file_of, program_of, rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.compiler.targets.target import Target

GOLDEN = Path(__file__).parent / "golden"
TARGETS: dict[str, Callable[[], Target]] = {"c": C, "triton": Triton, "metal": Metal}
HEAD = "==== "


@cache
def by_file() -> dict[str, list[str]]:
    found = defaultdict[str, list[str]](list)
    for name in rules():
        found[file_of(name)].append(name)
    return found


def text_of(name: str, target: Target) -> str:
    program = program_of(name, target)
    left = [f"left to ATen: {fallback.reason}" for fallback in program.fallbacks]
    return "\n".join([*left, *(source.strip() for source in program.sources)])


def golden(path: Path) -> dict[str, str]:
    """The texts of a file, by the rule."""
    whole = path.read_text() if path.exists() else ""
    sections = [section.partition("\n") for section in whole.split(HEAD)[1:]]
    return {name: text.strip() for name, _, text in sections}


@pytest.mark.parametrize("language", TARGETS)
def test_each_rule_prints_what_was_looked_at(language: str, request: Any) -> None:
    made = {
        file: {name: text_of(name, TARGETS[language]()) for name in names}
        for file, names in by_file().items()
    }
    for file, texts in made.items():
        path = GOLDEN / f"{file}.{language}"
        if request.config.getoption("--update-golden"):
            sections = [f"{HEAD}{name}\n{text}\n" for name, text in sorted(texts.items())]
            path.write_text("\n".join(sections))
        expected = golden(path)
        new = sorted(texts.keys() - expected.keys())
        assert not new, f"no golden in {path.name}: look at them, and run with --update-golden"
        changed = {name: text for name, text in texts.items() if text != expected[name]}
        assert changed == {name: expected[name] for name in changed}


def test_a_rule_that_no_program_is_known_for_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.compiler.rules.rule_programs.DTYPES", ())
    with pytest.raises(AssertionError, match="add its arguments to GIVEN"):
        program_of("aten.exp.default", C())

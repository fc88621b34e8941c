"""Each program of the page of questions prints what stands below it, but for numbers."""

import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "notebooks" / "docs" / "questions.md"
PARTS = re.compile(r"^## (.+?)\n.*?^```python\n(.*?)^```\n\n^```text\n(.*?)^```", re.S | re.M)
PROGRAMS = {question: (code, told) for question, code, told in PARTS.findall(PAGE.read_text())}

pytestmark = pytest.mark.live


def without_times(text: str) -> str:
    """The text without durations and shares, which depend on the machine."""
    return re.sub(r"\d[\d.,]* (?:[nµm]?s|%)(?=\W|$)", "N", text)


def test_every_question_has_a_program() -> None:
    assert len(PROGRAMS) == 7


@pytest.mark.parametrize("question", PROGRAMS)
def test_a_program_prints_what_the_page_says(question: str, tmp_path: Path) -> None:
    code, told = PROGRAMS[question]
    file = tmp_path / "program.py"
    file.write_text(code)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(str(file))
    assert without_times(out.getvalue()) == without_times(told)

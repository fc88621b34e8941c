"""The page on our compiler: its code runs, and shows what it says."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from dynamo_lab.compiler.program import Program

pytestmark = pytest.mark.live

PAGE = Path(__file__).parents[2] / "notebooks" / "docs" / "reference" / "compiler.md"


@pytest.mark.slow
def test_its_code_runs_and_shows_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    scope: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
        exec(block, scope)
    printed = capsys.readouterr().out
    assert "tensor([-1.0986,  0.0000])" in printed
    assert "4 kernels, buf0 with buf1: to see what it costs" in printed
    assert "plain C: tensor([0.0900, 0.2447, 0.6652])" in printed
    assert "What they did differently" in printed
    program = scope["program"]
    assert isinstance(program, Program)
    assert "Not eager's numbers: result 0 is off by up to" in printed
    for loop in program.graph.work:
        assert f"\n{loop}\n" in text
    assert f"\n{program.wrapper.text}```" in text
    for verdict in program.schedule.verdicts:
        assert str(verdict) in text
    for line in program.sources[0].splitlines()[:9]:
        assert line in text


def test_the_table_of_operators_is_that_of_the_code() -> None:
    """`python notebooks/docs/operators.py` writes it."""
    spec = spec_from_file_location("operators", PAGE.parents[1] / "operators.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    assert (PAGE.parent / "compiler_operators.md").read_text(encoding="utf-8") == script.page()

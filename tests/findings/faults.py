"""Programs with one known fault each, and programs with none, as source text.

A fault's source defines `record(lab)`, which gives a recording; the line at fault ends in
`# fault`.
Each module of faults has a table `FAULTS`, that of clean programs `CLEAN`.
"""

from __future__ import annotations

import importlib.util
import linecache
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

import dynamo_lab as lab
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.findings.finding import Finding


class Fault(NamedTuple):
    """A program, the rule that has to find its fault first, and why it is one."""

    rule: str
    source: str
    why: str = ""


def recorded(source: str, folder: Path, name: str) -> Recording:
    """The recording of a program written to a file of its own, so that its lines are known."""
    return program(source, folder, name).record(lab)


def program(source: str, folder: Path, name: str) -> Any:
    """The module of a program, written to a file of its own."""
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # Dynamo imports the module of what a program registers
    spec.loader.exec_module(module)
    return module


def recorded_apart(source: str, folder: Path, name: str) -> Recording:
    """The same in a process of its own: other programs have compiled nothing there before."""
    path, saved = folder / f"{name}.py", folder / f"{name}.json.gz"
    save = f"\n\nimport dynamo_lab\nrecord(dynamo_lab).save({str(saved)!r})\n"
    path.write_text(textwrap.dedent(source) + save, encoding="utf-8")
    subprocess.run([sys.executable, str(path)], check=True, timeout=300)
    return lab.load(saved)


def faulty_line(source: str) -> int:
    """The number of the line that ends in `# fault`."""
    lines = textwrap.dedent(source).split("\n")
    [found] = [number for number, line in enumerate(lines, 1) if line.endswith("# fault")]
    return found


def findings_of(recording: Recording) -> tuple[Finding, ...]:
    """What the views say of a recording."""
    return build(recording).findings.found


def assert_told_whole(found: Finding, question: str) -> None:
    """A finding of this question with evidence, a remedy, and a gain that is one."""
    assert found.question == question
    assert found.remedy
    assert found.evidence
    assert 0 < found.cost <= 1
    assert found.gain is None or found.gain.after < found.gain.before


def assert_found_first(
    fault: Fault,
    folder: Path,
    name: str,
    record: Callable[[str, Path, str], Recording] = recorded,
) -> Finding:
    """The first finding names the cause and the line."""
    found = findings_of(record(fault.source, folder, name))
    said = [(one.rule, one.level, one.where, one.sentence) for one in found]
    assert said, "nothing was found"
    assert found[0].rule == fault.rule, said
    assert found[0].level == "problem", said
    assert found[0].entity.endswith(f":{faulty_line(fault.source)}"), said
    return found[0]

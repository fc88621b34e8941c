"""A global integer that a branch reads: passed as a number, ways are compiled, not values."""

from pathlib import Path

from tests.findings.faults import findings_of, recorded

BRANCHING = """
import torch

STEP = 0

def fn(x):
    if STEP % 2:  # fault
        return x * 2
    return x - 1

def record(lab):
    global STEP
    compiled = torch.compile(fn, backend="eager")
    with lab.record() as recorder:
        for STEP in range(2, 9):
            compiled(torch.ones(4))
    return recorder.recording
"""
PASSED = BRANCHING.replace("def fn(x)", "def fn(x, STEP)")
NAMED = BRANCHING.replace("if STEP % 2:", "odd = STEP % 2 == 1\n    if odd:")
COMPUTING = BRANCHING.replace(
    "if STEP % 2:  # fault\n        return x * 2\n    return x - 1", "return x * STEP"
)


def _passed_as(given: str) -> str:
    return PASSED.replace("compiled(torch.ones(4))", f"compiled(torch.ones(4), {given})")


def test_a_number_that_a_branch_reads_is_to_be_passed_as_one(tmp_path: Path) -> None:
    recording = recorded(BRANCHING, tmp_path, "branching")
    [found] = findings_of(recording)
    assert found.code == "fn(x, STEP)"
    assert "where a tensor would break the graph" in found.remedy
    assert len(recording.recompiles) == 6
    followed = recorded(_passed_as("STEP"), tmp_path, "followed")
    assert len(followed.recompiles) == 2
    assert not followed.breaks
    assert recorded(_passed_as("torch.tensor(STEP)"), tmp_path, "as_tensor").breaks


def test_also_by_a_name_of_what_is_made_of_it(tmp_path: Path) -> None:
    [found] = findings_of(recorded(NAMED, tmp_path, "named"))
    assert found.code == "fn(x, STEP)"


def test_a_number_that_is_only_computed_with_may_be_a_tensor(tmp_path: Path) -> None:
    [found] = findings_of(recorded(COMPUTING, tmp_path, "computing"))
    assert found.code == "fn(x, torch.tensor(STEP))"

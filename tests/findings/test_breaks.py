"""Why does it break? Seeded faults: the first finding names cause and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import dynamo_lab as lab
from dynamo_lab.capture.core.hooks import DYNAMO_SETTINGS
from tests.findings.breaking import CLEAN, FAULTS
from tests.findings.faults import assert_found_first, findings_of, recorded

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

APPLIED = ("branch_on_a_tensor", "print_in_a_module", "a_number_read", "asked_for")


@pytest.mark.parametrize("name", FAULTS)
def test_the_first_finding_names_cause_and_line(name: str, tmp_path: Path) -> None:
    found = assert_found_first(FAULTS[name], tmp_path, name)
    assert found.remedy
    assert found.grade != "none"


@pytest.mark.parametrize("name", APPLIED)
def test_the_foretold_gain_is_what_the_fix_gives(name: str, tmp_path: Path) -> None:
    recording = recorded(FAULTS[name].source, tmp_path, name)
    assert isinstance(recording, lab.Recording)
    gain = findings_of(recording)[0].gain
    assert gain
    assert gain.before == len(recording.breaks)
    assert gain.after == len(recording.try_fix(0).recording.breaks)


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_program_has_no_break(name: str, tmp_path: Path) -> None:
    found = findings_of(recorded(CLEAN[name], tmp_path, name))
    assert [one for one in found if one.question == "breaks"] == []


@pytest.mark.parametrize("name", ["a_number_read_and_decided_by", "mask"])
def test_no_gain_is_foretold_where_a_symbol_may_not_do(name: str, tmp_path: Path) -> None:
    found = findings_of(recorded(FAULTS[name].source, tmp_path, name))[0]
    assert found.gain is None
    assert found.grade != "safe"


PRINTED_IN_TRY = """
import torch

def fn(x):
    try:
        print(x.sum().item())
    finally:
        x = x + 1
    return x

def record(lab):
    return lab.explore(fn, torch.ones(3), backend="aot_eager")
"""


def test_a_break_that_another_replaces_is_judged_by_breaks_not_by_time(tmp_path: Path) -> None:
    recording = recorded(PRINTED_IN_TRY, tmp_path, "printed")
    assert isinstance(recording, lab.Recording)
    applied = recording.findings[0].apply()  # then `print` breaks
    assert applied.verdict == "no difference"
    assert applied.sentence.startswith("It does not end what it should: breaks: 1 to 1.")


LOSS_RETURNED = """
import torch

weight = torch.ones(4, requires_grad=True)

def fn(x):
    loss = (x * weight).sum()
    loss.backward()
    return loss

def record(lab):
    return lab.explore(fn, torch.ones(4), backend="aot_eager", grad=True)
"""


def test_a_backward_whose_loss_is_returned_is_promised_nothing(tmp_path: Path) -> None:
    recording = recorded(LOSS_RETURNED, tmp_path, "loss")
    assert isinstance(recording, lab.Recording)
    asked, found = recording.findings[:2]
    assert asked.rule == "second-backward"
    assert "`grad=True`" in asked.remedy
    assert "backward() call" in found.sentence
    assert found.gain is None
    assert "is returned" in found.remedy
    assert found.apply().verdict != "helped"
    for old, new in ((", grad=True", ""), ("return loss", "return loss.detach()")):
        followed = recorded(LOSS_RETURNED.replace(old, new), tmp_path, f"without_{len(new)}")
        assert isinstance(followed, lab.Recording)
        assert followed.failure is None


SLICED = """
import torch

def fn(x):
    k = int(x.max().item())
    return x[:k]

def record(lab):
    return lab.explore(fn, torch.arange(-4.0, 4.0), backend="aot_eager")
"""


def test_a_number_that_is_an_index_is_not_captured_safely(tmp_path: Path) -> None:
    [found, *_] = findings_of(recorded(SLICED, tmp_path, "sliced"))
    assert found.grade == "may change meaning"
    assert "may break there instead, or fail to compile" in found.remedy
    assert found.gain is None


ANOTHERS = """
import torch

def fn(x):
    m = x.sum().item()  # fault
    return x * m

def another(x, m):
    if m > 0:
        return x
    return -x

def record(lab):
    return lab.explore(fn, torch.ones(4), backend="aot_eager")
"""
READ_INSIDE = """
import torch

def read(x):
    return x.sum().item()  # fault

def fn(x):
    if read(x) > 0:
        return x * 2
    return x - 1

def record(lab):
    return lab.explore(fn, torch.ones(4), backend="aot_eager")
"""


def test_what_another_function_decides_by_the_same_name_takes_no_gain_away(tmp_path: Path) -> None:
    recording = recorded(ANOTHERS, tmp_path, "anothers")
    assert isinstance(recording, lab.Recording)
    [found] = findings_of(recording)
    assert found.gain
    assert found.gain.after == len(recording.try_fix(0).recording.breaks) == 0


def test_a_number_that_a_called_function_reads_is_not_captured_safely(tmp_path: Path) -> None:
    found = findings_of(recorded(READ_INSIDE, tmp_path, "read_inside"))
    asked = [one for one in found if "capture_scalar_outputs" in one.code]
    assert [(one.grade, one.gain) for one in asked] == [("may change meaning", None)] * len(asked)


def test_breaks_with_one_cause_are_one_finding(tmp_path: Path) -> None:
    source = FAULTS["clock_in_a_helper_called_twice"].source
    [found] = findings_of(recorded(source, tmp_path, "twice"))
    assert "It is behind 3 breaks." in found.sentence
    assert found.cost == 1.0


def test_a_fix_that_reorders_output_is_not_safe(tmp_path: Path) -> None:
    found = findings_of(recorded(FAULTS["print_in_a_module"].source, tmp_path, "printing"))
    assert found[0].grade == "may change meaning"
    assert "later than other output" in found[0].remedy


def test_a_request_is_taken_out_safely(tmp_path: Path) -> None:
    found = findings_of(recorded(FAULTS["asked_for"].source, tmp_path, "asked"))
    assert found[0].grade == "safe"


NO_FAKE = """
import torch

@torch.library.custom_op("found::thrice", mutates_args=())
def thrice(x: torch.Tensor, by: float, *, more: int) -> torch.Tensor:
    return x * by * more

def fn(x):
    return thrice(x, 1.5, more=2) + 1  # fault

def record(lab):
    return lab.explore(fn, torch.ones(4), backend="eager")
"""


def test_an_operator_without_a_fake_implementation_is_found(tmp_path: Path) -> None:
    [found, *_] = findings_of(recorded(NO_FAKE, tmp_path, "no_fake"))
    assert found.rule == "not-compiled"
    assert found.where.endswith("line 9")
    assert found.code.startswith('@torch.library.register_fake("found::thrice")')
    mended = f"{found.code}\n\ndef fn(x)"
    source = NO_FAKE.replace("found::", "mended::").replace(
        "def fn(x)", mended.replace("found::", "mended::")
    )
    assert not findings_of(recorded(source, tmp_path, "with_fake"))


FAILING = {
    "a backend": (
        "def fn(x):\n    return x + 1\n",
        "lambda graph, inputs: 1 / 0",
        "ZeroDivisionError: division by zero",
    ),
    "an operator": (
        "def fn(x):\n    return x @ torch.ones(3, 3)\n",
        "'eager'",
        "same reduction dim, but got [4, 4] X [3, 3]",
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_failure_that_was_caught_says_what_failed(name: str, tmp_path: Path) -> None:
    source, backend, why = FAILING[name]
    watched = f"""
import contextlib

import torch

{source}
def record(lab):
    with lab.record() as recorder, contextlib.suppress(Exception):
        torch.compile(fn, backend={backend})(torch.ones(4, 4))
    return recorder.recording
"""
    [found, *_] = findings_of(recorded(watched, tmp_path, "caught"))
    assert found.rule == "not-compiled"
    assert why in found.sentence


RAISING = """
import torch

def fn(x):
    if x.sum() > 9:
        raise ValueError("too large")
    return x

def record(lab):
    return lab.explore(fn, torch.ones(4), backend="eager")
"""


def test_a_check_that_raises_has_no_example_of_a_choice(tmp_path: Path) -> None:
    [found, *_] = findings_of(recorded(RAISING, tmp_path, "raising"))
    assert "torch._assert_async" in found.remedy
    assert "torch.where" not in found.code


SCANNED = """
import contextlib

import torch
from torch._higher_order_ops import scan

def fn(xs):
    return scan(lambda carry, x: (carry + x, carry * 2), torch.zeros(4), xs)  # fault

def record(lab):
    with lab.record() as recorder, contextlib.suppress(Exception):
        torch.compile(fn)(torch.ones(3, 4))
    return recorder.recording
"""


def test_a_scan_that_inductor_refuses_is_told_the_setting_that_it_needs(tmp_path: Path) -> None:
    [found, *_] = findings_of(recorded(SCANNED, tmp_path, "scanned"))
    assert found.rule == "not-compiled"
    mended = SCANNED.replace(
        "        torch.compile", f"        {found.code}\n        torch.compile"
    )
    with DYNAMO_SETTINGS.get().patch(capture_scalar_outputs=False):  # and what it was, afterwards
        rules = [one.rule for one in findings_of(recorded(mended, tmp_path, "mended"))]
    assert "not-compiled" not in rules

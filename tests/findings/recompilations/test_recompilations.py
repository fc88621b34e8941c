"""Why is it compiled again? Seeded faults: the first finding names cause and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from dynamo_lab.view.guards.compilations import recompilations
from tests.findings.faults import assert_found_first, findings_of, recorded, recorded_apart
from tests.findings.recompilations.mended import CLEAN, MENDED
from tests.findings.recompilations.recompiling import FAULTS
from tests.findings.times import with_steps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dynamo_lab.model.recording import Recording

pytestmark = pytest.mark.live

APART = ("betas_that_a_scheduler_cycles",)
"""Those whose first call breaks or does not, by what was compiled in the process before."""


def _recorder(name: str) -> Callable[[str, Path, str], Recording]:
    return recorded_apart if name in APART else recorded


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in MENDED])
def test_the_first_finding_names_cause_and_line(name: str, tmp_path: Path) -> None:
    assert_found_first(FAULTS[name], tmp_path, name, _recorder(name))


@pytest.mark.parametrize("name", MENDED)
def test_what_the_remedy_says_ends_the_recompilations(name: str, tmp_path: Path) -> None:
    """Of the faults that are mended here, the first finding is asked for here, too."""
    mended = MENDED[name]
    fault = FAULTS[name]
    found = assert_found_first(fault, tmp_path, name, _recorder(name))
    told = " ".join((found.remedy, found.code))
    assert mended.follows in told, told
    source = fault.source
    for old, new in mended.changes:
        assert old in source
        source = source.replace(old, new)
    recording = _recorder(name)(source, tmp_path, f"{name}_mended")
    assert recording.failure is None
    assert recompilations(recording) == mended.left
    if found.gain is not None:
        assert found.gain.after == mended.left
        assert found.gain.before > found.gain.after


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_program_gets_notes_at_most(name: str, tmp_path: Path) -> None:
    found = findings_of(recorded(CLEAN[name], tmp_path, name))
    assert [one for one in found if one.level != "note"] == []


def test_a_storm_is_one_finding(tmp_path: Path) -> None:
    source = FAULTS["sizes_of_two_arguments"].source
    found = findings_of(recorded(source, tmp_path, "storm"))
    assert [one.question for one in found] == ["recompilations"]
    assert "`x.shape[0]`" in found[0].sentence
    assert "`y.shape[0]`" in found[0].sentence


def test_at_the_limit_all_of_it_is_the_cost(tmp_path: Path) -> None:
    found = findings_of(recorded(FAULTS["lambda_in_the_call"].source, tmp_path, "limit"))
    assert found[0].cost == 1.0
    assert "the limit was reached" in found[0].sentence


@pytest.mark.parametrize("name", ["dtypes", "a_name_for_each_call", "number_in_a_range"])
@pytest.mark.parametrize("stance", ["eager_on_recompile", "fail_on_recompile"])
def test_a_stance_after_the_calls_that_matter_does_what_the_remedy_says(
    name: str, stance: str, tmp_path: Path
) -> None:
    fault = FAULTS[name]
    if stance == "eager_on_recompile":
        assert stance in assert_found_first(fault, tmp_path, name, _recorder(name)).remedy
    lines = fault.source.split("\n")
    [at] = [at for at, line in enumerate(lines) if line.strip().startswith("compiled(torch")]
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines.insert(at + 1, f'{indent}torch.compiler.set_stance("{stance}")')
    try:
        if stance == "fail_on_recompile":
            with pytest.raises(RuntimeError, match="fail_on_recompile"):
                recorded("\n".join(lines), tmp_path, f"{name}_{stance}")
        else:
            recording = recorded("\n".join(lines), tmp_path, f"{name}_{stance}")
            assert recording.failure is None
            assert recompilations(recording) == 0
    finally:
        torch.compiler.set_stance("default")


def test_one_recompilation_or_a_safe_remedy_needs_no_stance(tmp_path: Path) -> None:
    [found] = findings_of(recorded(FAULTS["sizes_of_two_arguments"].source, tmp_path, "safe"))
    assert found.can_apply
    assert "set_stance" not in found.remedy
    source = FAULTS["dtypes"].source.replace(", torch.bfloat16", "")
    [found] = findings_of(recorded(source, tmp_path, "once"))
    assert "set_stance" not in found.remedy


BRANCHES_ON_A_SIZE = """
import torch

def fn(x):
    return x * 2 if x.shape[0] % 2 else x + 1

def record(lab):
    compiled = torch.compile(fn, backend="eager")
    with lab.record() as recorder:
        for rows in range(2, 9):
            compiled(torch.ones(rows, 4))
    return recorder.recording
"""


def test_nothing_is_foretold_of_dynamic_sizes_where_the_code_tests_them(tmp_path: Path) -> None:
    found = findings_of(recorded(BRANCHES_ON_A_SIZE, tmp_path, "tested"))
    [opened] = [one for one in found if one.code == "torch.compile(fn, dynamic=True)"]
    assert opened.gain is None


def test_what_newer_code_leaves_open_is_not_the_cause(tmp_path: Path) -> None:
    """Code with `scale` open refuses the size 1 alone; older codes fix both."""
    found = findings_of(recorded(A_NUMBER_THEN_A_SIZE, tmp_path, "number_then_size"))
    told = [one.sentence for one in found]
    assert any("`scale` is a Python number" in text and "once" in text for text in told), told
    assert any("`x.shape[0]` is 0 or 1 in some calls" in text for text in told), told


OF_A_MODULE = """
import torch

def record(lab):
    compiled = torch.compile(torch.nn.Sequential(torch.nn.Linear(4, 4)), backend="eager")
    with lab.record() as recorder:
        for batch in (1, 2, 3):
            compiled(torch.ones(batch, 4))
    return recorder.recording
"""


def test_a_name_of_a_librarys_is_said_to_be_one(tmp_path: Path) -> None:
    [found, *_] = findings_of(recorded(OF_A_MODULE, tmp_path, "of_a_module"))
    assert found.code == "torch._dynamo.decorators.mark_unbacked(input, 0)"
    assert "`input` is its name in linear.py: mark the tensor that you pass." in found.remedy


A_NUMBER_THEN_A_SIZE = """
import torch

def pool(x, scale):
    return (x * scale).sum(0)

def record(lab):
    compiled = torch.compile(pool, backend="eager")
    with lab.record() as recorder:
        for rows, scale in ((4, 1.0), (8, 1.0), (16, 1.0), (16, 2.0), (16, 3.0), (1, 3.0)):
            compiled(torch.ones(rows, 3), scale)
    return recorder.recording
"""


BRANCHING = """
import torch

def f(x):
    return x * 2 if x.shape[0] > 5 else x + 1

def record(lab):
    compiled = torch.compile(f, backend="eager")
    with lab.record() as recorder:
        for length in (8, 9, 10, 2):
            compiled(torch.ones(length))
    return recorder.recording
"""


def test_what_was_dynamic_before_does_not_become_so(tmp_path: Path) -> None:
    found = findings_of(recorded(BRANCHING, tmp_path, "branching"))
    assert any("some values of `x.shape[0]` only" in one.sentence for one in found)
    [told] = [one.sentence for one in found if "From then on it is dynamic" in one.sentence]
    assert "`x.shape[0]` changes" in told


def test_a_size_that_a_test_tells_apart_is_not_advised_to_be_dynamic(tmp_path: Path) -> None:
    """With `dynamic=True` the program compiles as often."""
    source = BRANCHING.replace("> 5", "== 8")
    for name, code in (("given", source), ("asked", source.replace("(f, ", "(f, dynamic=True, "))):
        [found] = findings_of(recorded(code, tmp_path, name))
        assert "tells 8 from all others" in found.remedy
        assert "dynamic=True" not in found.code


MODES = """
import torch

def double(x):
    return x.cos() * 2

def record(lab):
    fn, x, threads = torch.compile(double, backend="eager"), torch.ones(4), torch.get_num_threads()
    with lab.record() as recorder:
        fn(x)
        with torch.no_grad():
            fn(x)
        with torch.inference_mode():
            fn(x)
        torch.set_default_dtype(torch.float64)
        fn(x)
        torch.set_default_dtype(torch.float32)
        torch.set_num_threads(threads + 1)
        fn(x)
        torch.set_num_threads(threads)
    return recorder.recording
"""


GRADIENTS = """
import torch

def double(x):
    return x.cos() * 2

def record(lab):
    fn, x = torch.compile(double, backend="eager"), torch.ones(4)
    with lab.record() as recorder:
        with torch.no_grad():
            fn(x)
        fn(x)
    return recorder.recording
"""


def test_what_a_benchmark_compiles_for_both_phases_is_none(tmp_path: Path) -> None:
    recording = recorded(GRADIENTS, tmp_path, "gradients")
    [told] = findings_of(recording)
    assert told.rule == "grad-mode-changes"
    assert findings_of(with_steps(recording, eager=100, compiled=100)) == ()


def test_only_what_no_code_was_compiled_under_is_told_as_changed(tmp_path: Path) -> None:
    found = findings_of(recorded(MODES, tmp_path, "modes"))
    of = {one.rule: [two.sentence for two in found if two.rule == one.rule] for one in found}
    (inference,) = of["inference-mode-changes"]
    assert "`torch.inference_mode()`" in inference
    assert "keys of `x`" not in inference
    dtype, threads = sorted(of["setting-changes"])  # they rank by what each compilation took
    assert dtype.startswith("The default dtype is torch.float64 now: `double`")
    assert threads.startswith(f"The number of threads is {torch.get_num_threads() + 1} now: ")


A_CACHE_FROM_NONE = """
import torch

class Cached(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = None

    def forward(self, x):
        self.cache = x if self.cache is None else torch.cat([self.cache, x])
        return self.cache.sum(0)

def record(lab):
    compiled = torch.compile(Cached(), backend="eager")
    with lab.record() as recorder:
        for _ in range(4):
            compiled(torch.ones(ROWS, 3))
    return recorder.recording
"""


def test_dynamic_sizes_promise_nothing_where_equal_ones_would_be_tied(tmp_path: Path) -> None:
    """The cache has the rows of `x` when code is first made for it, and `x` keeps its own."""
    source = A_CACHE_FROM_NONE.replace("ROWS", "2")
    found = findings_of(recorded(source, tmp_path, "cached"))
    by_rule = {one.rule: one for one in found}
    assert sorted(by_rule) == ["optional-value", "size-changes"]
    told = by_rule["size-changes"]
    assert "as was `x.shape[0]`" in told.remedy
    assert told.gain is None
    assert not told.can_apply
    assert told.grade == "fill in"
    made_dynamic = source.replace('backend="eager"', 'backend="eager", dynamic=True')
    again = recorded(made_dynamic, tmp_path, "cached_dynamic")
    assert len(again.recompiles) == 2, "dynamic=True helps now: promise it"


A_MASK_FROM_NONE = """
import torch

def total(x, mask=None):
    return x.sum() if mask is None else (x * mask).sum()

def record(lab):
    compiled = torch.compile(total, backend="eager")
    with lab.record() as recorder:
        for rows in (4, 5, 6):
            compiled(torch.ones(rows, 3))
            compiled(torch.ones(rows, 3), torch.ones(rows, 3))
    return recorder.recording
"""


def test_what_changes_together_is_not_counted_for_one_of_them(tmp_path: Path) -> None:
    """A recompilation for a mask and another size: with dynamic sizes there would be none."""
    found = findings_of(recorded(A_MASK_FROM_NONE, tmp_path, "masked"))
    [told] = [one for one in found if one.rule == "size-changes"]
    assert told.can_apply
    assert told.gain is None

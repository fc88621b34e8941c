"""Fixes tried on real programs: the break goes, the numbers stay, nothing is left behind."""

import gc
import linecache
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo
from torch import nn
from torch._dynamo import config

import dynamo_lab as lab
from dynamo_lab.errors import FixError
from dynamo_lab.live import observed as seen_of_runs
from dynamo_lab.record import replay
from tests.live.breaks.fixable import WORKING, assigns, calls_another, prints
from tests.live.notebook import run_cells, text_of
from tests.live.programs import PROGRAMS


@pytest.mark.filterwarnings("ignore:careful")
@pytest.mark.parametrize("name", WORKING)
def test_a_fix_removes_its_break_and_keeps_the_numbers(name: str) -> None:
    fn, fix = WORKING[name]
    x = torch.tensor([0.5, -1.0, 2.0, 3.0])
    recording = lab.explore(fn, x, backend="eager")
    item = recording.breaks[0]
    assert fix in [offered.name for offered in item.fixes]
    settings = config.get_config_copy()
    code = vars(fn).get("__code__")
    trial = item.try_fix(fix)
    # what a call prints is lost with it, so nobody calls that the same
    assert trial.numbers.same is (None if name == "print removed" else True), trial.numbers.sentence
    assert trial.recording.failure is None
    assert trial.recording.breaks == ()
    assert dict(trial.recording.environment.options) == dict(recording.environment.options)
    assert len(trial.recording.captured_graphs()) >= 1
    assert config.get_config_copy() == settings
    assert vars(fn).get("__code__") is code
    assert not [file for file in linecache.cache if f"with {fix}" in file]
    again = lab.explore(fn, x, backend="eager")
    assert [b.gb_type for b in again.breaks] == [b.gb_type for b in recording.breaks]


def test_the_likeliest_fix_comes_first() -> None:
    recording = lab.explore(assigns, torch.ones(4), backend="eager")
    trial = recording.breaks[0].try_fix()
    assert trial.fix.name == "torch.where"
    assert recording.try_fix(0).fix == trial.fix
    text = str(trial)
    assert "breaks 1 -> 0, graphs 2 -> 1" in text
    assert "Results, what is written and gradients are as in eager" in text
    assert "+    y = torch.where(y.sum() > 0, y * 2, y - 1)" in text


@pytest.mark.slow
def test_with_inductor_kernels_are_compared() -> None:
    recording = lab.explore(assigns, torch.ones(4))
    trial = recording.breaks[0].try_fix()
    counts = {name: (a, b) for name, a, b in trial.counts()}
    assert counts["breaks"] == (1, 0)
    assert counts["kernels"][0] == len(recording.kernels)
    assert counts["kernels"][1] == len(trial.recording.kernels) > 0
    assert trial.numbers.same


def test_a_wrong_fix_says_so() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            return x.double()
        return x

    trial = lab.explore(f, torch.zeros(4), backend="eager").breaks[0].try_fix("torch.where")
    assert trial.numbers.same is False
    assert "float32" in trial.numbers.sentence
    assert "float64" in trial.numbers.sentence


def test_a_program_that_fails_with_the_fix_says_so() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            return x.sum()
        return x.reshape(3)  # computed on both sides from now on

    trial = lab.explore(f, torch.ones(4), backend="eager").breaks[0].try_fix("torch.where")
    assert trial.recording.failure is not None
    assert trial.numbers.same is None
    assert "the program fails with" in str(trial)


def test_the_users_tensors_and_random_numbers_are_untouched() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout())
    seen = torch.zeros(4)

    def f(x: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        seen.add_(x[0].detach())
        y = model(x)
        print("seen")
        return y

    x = torch.ones(4, 4)
    recording = lab.explore(f, x, backend="eager", grad=True)
    state = {k: v.clone() for k, v in model.state_dict().items()}
    grads = [p.grad for p in model.parameters()]
    values = [None if g is None else g.clone() for g in grads]
    before, at = (x.clone(), seen.clone()), torch.get_rng_state()
    trial = recording.breaks[0].try_fix()
    assert trial.numbers.same, trial.numbers.sentence
    torch.testing.assert_close((x, seen), before)
    torch.testing.assert_close(dict(model.state_dict()), state)
    for parameter, grad, value in zip(model.parameters(), grads, values, strict=True):
        assert parameter.grad is grad
        torch.testing.assert_close(grad, value)
    assert torch.equal(torch.get_rng_state(), at)


def test_the_arguments_are_those_of_the_first_run() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        x.mul_(0)
        if x.sum() > 0:
            raise ValueError("run on what the first run left")
        return x + 1

    def g(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        x.zero_()
        print("sum")
        return y

    assert lab.explore(f, torch.ones(4), backend="eager").failure is None
    recording = lab.explore(g, torch.ones(4), backend="eager")
    assert recording.breaks[0].try_fix().numbers.difference == 0
    program = recording.program()
    assert program is not None
    assert program.eager().sum() == 8


def test_a_helper_is_left_out_and_the_break_moves() -> None:
    trial = (
        lab.explore(calls_another, torch.ones(4), backend="eager")
        .breaks[0]
        .try_fix("torch.compiler.disable")
    )
    assert [item.gb_type for item in trial.recording.breaks] == [
        "Skip calling `torch.compiler.disable()`d function"
    ]
    assert trial.numbers.same
    assert "New break" in str(trial)
    assert not hasattr(assigns, "_torchdynamo_disable")


def test_without_a_program_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    recording = lab.explore(assigns, torch.ones(4), backend="eager")
    recording.save(tmp_path / "f.json")
    loaded = lab.load(tmp_path / "f.json")
    assert loaded == recording
    assert loaded.breaks[0].fixes == recording.breaks[0].fixes
    with pytest.raises(FixError, match="loaded from a file"):
        loaded.breaks[0].try_fix()
    with lab.record() as recorder:
        torch.compile(assigns, backend="eager")(torch.ones(4))
    with pytest.raises(FixError, match="Use explore"):
        recorder.recording.breaks[0].try_fix()
    trial = (
        lab.explore(calls_another, torch.ones(4), backend="eager")
        .breaks[0]
        .try_fix("torch.compiler.disable")
    )
    with pytest.raises(FixError, match="no fix to try"):
        trial.recording.breaks[0].try_fix()


def test_only_a_recording_with_breaks_keeps_a_large_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replay, "_LIGHT_BYTES", 0)
    model = nn.Linear(2, 2)
    alive = weakref.ref(model)
    recording = lab.explore(model, torch.ones(1, 2), backend="eager")
    assert recording.program() is None
    del model
    torch._dynamo.reset()
    gc.collect()
    assert alive() is None
    broken = lab.explore(prints, torch.ones(4), backend="eager")
    assert broken.program() is not None


def test_wrong_names_and_ids_are_told() -> None:
    recording = lab.explore(assigns, torch.ones(4), backend="eager")
    with pytest.raises(FixError, match=r"use one of torch\.where, torch\.cond"):
        recording.breaks[0].try_fix("magic")
    with pytest.raises(FixError, match="There is no break 7"):
        recording.try_fix(7)


def test_a_module_that_does_not_import_torch_is_lent_it(tmp_path: Path) -> None:
    file = tmp_path / "bare.py"
    file.write_text("def f(x):\n    if x.sum() > 0:\n        return x * 2\n    return x\n")
    bare: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), bare)
    trial = lab.explore(bare["f"], torch.ones(4), backend="eager").breaks[0].try_fix()
    assert trial.numbers.same, trial.recording.failure
    assert "torch" not in bare


def unusual(x: torch.Tensor) -> torch.Tensor:
    while x.sum() > 0:
        x = x - 1
    return x


def test_what_cannot_be_fixed_says_why() -> None:
    recording = lab.explore(unusual, torch.ones(4), backend="eager")
    with pytest.raises(FixError, match="not a loop"):
        recording.breaks[0].try_fix()
    sourceless: dict[str, Any] = {}
    exec("def f(x):\n    if x.sum() > 0:\n        x = x * 2\n    return x", sourceless)
    recording = lab.explore(sourceless["f"], torch.ones(4), backend="eager")
    with pytest.raises(FixError, match=r"no fix to try .* library"):
        recording.breaks[0].try_fix()
    choose: Any = lambda x: x * 2 if x.sum() > 0 else x  # noqa: E731
    recording = lab.explore(choose, torch.ones(4), backend="eager")
    with pytest.raises(FixError, match="lambda cannot be rewritten"):
        recording.breaks[0].try_fix()


def test_what_the_program_prints_is_not_printed_again(capsys: pytest.CaptureFixture[str]) -> None:
    recording = lab.explore(prints, torch.ones(4), backend="eager")
    capsys.readouterr()
    recording.breaks[0].try_fix()
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_a_cell_is_tried_in_a_copy_of_the_notebook() -> None:
    ran = run_cells(
        "%%compile --quiet --into rec --backend eager\n"
        "x.add_(1)\ny = x * 2\nif y.sum() > 0:\n    y = y * 3\nz = y + 1",
        "kept = x.clone(), y\n"
        "print([fix.name for fix in rec.breaks[0].fixes])\n"
        "t = rec.breaks[0].try_fix()\n"
        "print(str(t))\n"
        "print(bool((x == kept[0]).all()), y is kept[1], t.recording.breaks)",
        "def helper(t):\n    if t.sum() > 0:\n        t = t + 1\n    return t",
        "%%compile --quiet --into other --backend eager\nw = helper(x) * 2",
        "print(str(other.breaks[0].try_fix()))\nprint(other.breaks[0].fixes[-1].name)\n"
        "print(str(other.breaks[0].try_fix('torch.compiler.disable')))",
    )
    first, second = text_of(ran[1]), text_of(ran[4])
    assert "['torch.where', 'torch.cond']" in first
    assert "breaks 1 -> 0, graphs 2 -> 1" in first
    assert "+y = torch.where(y.sum() > 0, y * 3, y)" in first
    assert "are as in eager" in first
    assert "True True ()" in first
    assert "breaks 2 -> 0, graphs 3 -> 1" in second  # `helper` breaks inlined and on its own
    assert "torch.compiler.disable" in second


@pytest.mark.slow
@pytest.mark.parametrize(("name", "gone"), [("longformer", 2), ("reformer", 3)])
def test_a_flag_removes_the_breaks_of_a_model_that_it_can(name: str, gone: int) -> None:
    fn, args, given = PROGRAMS[name]()
    recording = lab.explore(fn, *args, backend="eager", **given)
    items = [b for b in recording.breaks if b.gb_type.startswith("Unsupported Tensor.item()")]
    assert len(items) == gone
    trial = items[0].try_fix()
    assert trial.fix.name == "capture_scalar_outputs"
    assert not any("Tensor.item()" in b.gb_type for b in trial.recording.breaks)
    assert trial.numbers.same, trial.numbers.sentence


def test_results_are_compared_as_they_were_before_the_program_is_restored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held, seen = torch.ones(4), list[Any]()

    def f(x: torch.Tensor) -> torch.Tensor:
        y = held.add_(x)
        print("between")
        return y

    def compare(eager: Any, compiled: Any) -> replay.Numbers:
        seen.extend([eager, compiled])
        return replay.Numbers(same=True, sentence="")

    recording = lab.explore(f, torch.ones(4), backend="eager")
    before = held.clone()
    monkeypatch.setattr(seen_of_runs, "compare", compare)
    recording.breaks[0].try_fix()
    assert torch.equal(held, before)
    assert all(torch.equal(one[0], before + 1) for one in seen[:2])


def _drops(x: torch.Tensor) -> torch.Tensor:
    y = nn.functional.dropout(x, 0.5)
    print("dropped")
    return y * 2


@pytest.mark.slow
def test_a_fix_and_a_finding_on_one_break_have_one_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled random numbers are others than eager's, with and without the fix."""
    from dynamo_lab.live import findings
    from dynamo_lab.measure.rounds import Plan

    monkeypatch.setattr(findings, "PLAN", Plan(seconds=0.01))
    recording = lab.explore(_drops, torch.ones(64))
    tried = recording.breaks[0].try_fix().numbers
    [finding] = [one for one in recording.findings if one.question == "breaks"]
    assert finding.can_apply
    assert tried == finding.apply().numbers
    assert tried.same is None
    assert "exactly as they do without the change" in tried.sentence

"""A remedy is applied to the living program, checked, and undone."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

import pytest
import torch
from msgspec.structs import replace
from torch import nn

import dynamo_lab as lab
from dynamo_lab.api.findings import answered
from dynamo_lab.capture.core.hooks import DYNAMO_SETTINGS
from dynamo_lab.errors import FixError
from dynamo_lab.live import findings as applying
from dynamo_lab.live.changes import Part, prepared
from dynamo_lab.live.findings import Application, Timing
from dynamo_lab.measure.rounds import Plan
from dynamo_lab.measure.statistics import ratio, spread
from dynamo_lab.model.guards.guards import Recompile
from dynamo_lab.model.recording import Failure
from dynamo_lab.record.replay import Numbers
from dynamo_lab.record.run import Run
from dynamo_lab.view.core.words import BUSY
from dynamo_lab.view.findings import findings
from dynamo_lab.view.findings.changes import Change, Options, Rewrite, Setting
from dynamo_lab.view.findings.finding import Finding, Found, Gain
from tests.view.samples import branch_and_print

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamo_lab.view.findings.finding import Facts, Grade

pytestmark = pytest.mark.live


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applying, "PLAN", Plan(rounds=3, fewest=3, round_seconds=0.0, seconds=0.0))
    monkeypatch.setattr(applying.Watched, "was_busy", lambda _: False)


def prints(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    print("here")
    return y * 2


def branches(x: torch.Tensor) -> torch.Tensor:
    y = x.relu()
    if y.sum() > 0:
        y = y * 2
    return y.sin()


def clean(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + 1


class Training(nn.Module):
    """A module that prints, writes a buffer and trains."""

    seen: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("seen", torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen.add_(1)
        print("step")
        return self.linear(x).sin()


def _recorded(fn: Any, *, grad: bool | None = None) -> lab.Recording:
    return lab.explore(fn, torch.ones(2, 4), backend="aot_eager", grad=grad)


def _rule(change: Change, grade: Grade = "safe", gain: Gain | None = None) -> Any:
    def find(facts: Facts) -> Iterator[Found]:
        found = Finding(rule="made", question="speed", sentence="Slow.", grade=grade, gain=gain)
        yield Found(found, change=change)

    return find


@pytest.mark.parametrize("fn", [prints, branches])
def test_a_break_is_gone_and_the_program_is_as_it_was(fn: Callable[..., Any]) -> None:
    settings = set(DYNAMO_SETTINGS.get().reorderable_logging_functions)
    code = fn.__code__
    applied = _recorded(fn).findings[0].apply()
    assert applied.verdict == "helped", str(applied)
    assert applied.numbers.same
    assert ("breaks", "1", "0") in applied.rows
    assert applied.seconds is not None
    assert applied.recording.breaks == ()
    assert set(DYNAMO_SETTINGS.get().reorderable_logging_functions) == settings
    assert fn.__code__ is code


def test_gradients_and_buffers_are_compared_and_restored() -> None:
    module = Training()
    recording = _recorded(module, grad=True)
    seen, gradient = module.seen.clone(), module.linear.weight.grad
    gradient = None if gradient is None else gradient.clone()
    applied = recording.findings[0].apply()
    assert applied.verdict == "helped", str(applied)
    assert applied.numbers.same
    assert torch.equal(module.seen, seen)
    now = module.linear.weight.grad
    assert (gradient is None) == (now is None)
    if gradient is not None and now is not None:
        assert torch.equal(gradient, now)


def test_what_writes_something_else_is_not_called_a_help(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = _recorded(Training(), grad=True)
    found = applying.found_of(recording)[0]
    assert found.line is not None
    text = recording.sources[found.line[0]].excerpts[0].text
    wrong = Rewrite(text.replace("self.seen.add_(1)", "self.seen.add_(3)"), "forward", "")
    monkeypatch.setattr(applying, "found_of", lambda _: [found._replace(change=wrong)])
    done = applying.apply(recording, recording.session, [0])
    assert done.numbers.same is False
    assert "written" in done.numbers.sentence
    assert done.timing is None


def test_only_counts_that_fell_are_a_help(monkeypatch: pytest.MonkeyPatch) -> None:
    gain = Gain(metric="breaks", before=1, after=0, how="guessed")
    rule = _rule(Setting("suppress_errors", value=False), gain=gain)
    monkeypatch.setattr(findings, "RULES", (rule,))
    applied = _recorded(branches).findings[0].apply()
    assert applied.verdict == "no difference"
    assert "It does not end what it should: breaks: 1 to 1, foretold 0." in applied.sentence


def _timed(seconds: tuple[float, ...], *, busy: bool, breaks: bool = False) -> Any:
    """What is said of a change with which twelve rounds take these seconds instead of 40 us."""
    gain = Gain(metric="breaks", before=1, after=0, how="counted") if breaks else None
    one = Finding(rule="made", question="speed", sentence="Slow.", grade="safe", gain=gain)
    plain = (40e-6,) * len(seconds)
    timing = Timing(
        40e-6,
        median(seconds),
        ratio(plain, seconds),
        spreads=(spread(plain), spread(seconds)),
        is_busy=busy,
    )
    made = branch_and_print()
    before, after = Run(made), Run(replace(made, breaks=(), recompiles=(), symbols=()))
    same = Numbers(same=True, sentence="As in eager.")
    return answered(Application((Found(one),), before, after, same, timing), made)


def test_a_busy_machine_gives_no_verdict_on_times() -> None:
    slow = (10e-3,) * 12
    assert _timed(slow, busy=False).verdict == "hurt"
    told = _timed(slow, busy=True)
    assert told.verdict == "not known"
    assert told.sentence == f"Whether a call takes longer is not known. {BUSY}"
    counted = _timed(slow, busy=True, breaks=True)
    assert counted.verdict == "helped"
    assert counted.sentence.endswith(BUSY)
    assert "slower" not in counted.sentence


def test_times_that_spread_are_said_to() -> None:
    told = _timed((40e-3, 1e-3) * 6, busy=False)
    assert (
        "Half of the rounds took 40 µs to 40 µs, with the change 1.0 ms to 40 ms." in told.sentence
    )
    assert "Half of the rounds" not in _timed((10e-3,) * 12, busy=False).sentence


def test_a_call_at_the_limit_is_no_recompilation() -> None:
    made = branch_and_print()
    one = Recompile(frame=0, compile_id="0/1")
    run = Run(replace(made, recompiles=(one, replace(one, limit_hit=True))))
    done = applying.Application((), run, run, Numbers(same=None, sentence=""), None)
    assert ("recompilations", "1", "1") in answered(done, made).rows


def test_options_of_compile_are_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "RULES", (_rule(Options({"fullgraph": True})),))
    applied = _recorded(branches).findings[0].apply()
    assert applied.verdict == "hurt"
    assert applied.recording.failure is not None
    assert applied.seconds is None


def test_all_safe_ones_are_applied_together(monkeypatch: pytest.MonkeyPatch) -> None:
    safe = _rule(Setting("size_asserts", value=False, of="torch._inductor.config"))
    other = _rule(Setting("reorderable_logging_functions", "print"))
    risky = _rule(Options({"fullgraph": True}), "may change meaning")
    monkeypatch.setattr(findings, "RULES", (safe, risky, other))
    recording = _recorded(prints)
    applied = recording.apply_findings()
    assert len(applied.findings) == 2
    assert ("breaks", "1", "0") in applied.rows
    assert "foretold" not in applied.sentence


def _trained() -> lab.Recording:
    """A step whose forward saves more than a megabyte for its backward."""
    layers = [nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 8)]
    module = nn.Sequential(*layers)

    def step(x: torch.Tensor) -> torch.Tensor:
        return module(x).sum()

    return lab.explore(step, torch.randn(1024, 64), backend="aot_eager", grad=True)


def test_bytes_that_are_foretold_are_measured_at_the_peak() -> None:
    [found] = [one for one in _trained().findings if one.rule == "saved-activations"]
    applied = found.apply()
    assert applied.verdict == "helped", str(applied)
    assert applied.peak_bytes is not None
    before, after = applied.peak_bytes
    assert 1 << 20 < after < before
    [row] = [row for row in applied.rows if row[0] == "held at the peak of a call"]
    assert row[1] != row[2]
    assert f"{row[1]} at its peak, with the change {row[2]}" in applied.sentence
    assert f"{row[1]} -> {row[2]}" in str(applied)


def test_bytes_that_stay_as_they_are_are_no_help(monkeypatch: pytest.MonkeyPatch) -> None:
    gain = Gain(metric="bytes", before=2_000_000, after=1_000_000, how="guessed")
    rule = _rule(Setting("suppress_errors", value=False), gain=gain)
    monkeypatch.setattr(findings, "RULES", (rule,))
    applied = _recorded(clean).findings[0].apply()
    assert applied.verdict == "no difference"
    assert "as much as before at its peak" in applied.sentence


def test_bytes_that_nothing_counts_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    gain = Gain(metric="bytes", before=2_000_000, after=1_000_000, how="guessed")
    rule = _rule(Setting("suppress_errors", value=False), gain=gain)
    monkeypatch.setattr(findings, "RULES", (rule,))
    monkeypatch.setattr(applying, "peak_of", lambda *_: None)
    applied = _recorded(clean).findings[0].apply()
    assert applied.verdict == "not known"
    assert "was not measured" in applied.sentence
    assert applied.peak_bytes is None
    assert not [row for row in applied.rows if "peak" in row[0]]


def test_without_a_gain_in_bytes_nothing_is_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> int:
        raise AssertionError("nobody asked for it")

    monkeypatch.setattr(applying, "peak_of", never)
    assert _recorded(prints).findings[0].apply().peak_bytes is None


def test_a_clean_program_has_nothing_to_apply() -> None:
    recording = _recorded(clean)
    assert recording.findings == ()
    with pytest.raises(FixError, match="Nothing to mend"):
        recording.apply_findings()


def test_a_loaded_recording_says_that_there_is_no_program() -> None:
    recording = _recorded(branches)
    finding = recording.findings[0]
    recording.session.close()
    with pytest.raises(FixError, match="no program"):
        finding.apply()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Setting("no_such_option"), "has no"),
        (Setting("path", of="sys"), "not one of PyTorch's"),
        (Options({"backend": "eager"}), "cannot be tried"),
    ],
)
def test_what_cannot_be_applied_says_so(change: Change, message: str) -> None:
    recording = _recorded(clean)
    program = recording.session.program
    assert program is not None
    part = Part(change, (0, 0), "it")
    with (
        pytest.raises(FixError, match=message),
        prepared([part], recording, program) as ready,
        ready.on(),
    ):
        pass


def test_an_interrupt_while_it_is_timed_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recording = _recorded(prints)
    before = set(DYNAMO_SETTINGS.get().reorderable_logging_functions)

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(applying, "take_turns", interrupted)
    with pytest.raises(KeyboardInterrupt):
        recording.findings[0].apply()
    assert set(DYNAMO_SETTINGS.get().reorderable_logging_functions) == before


def test_a_view_applies_by_its_number() -> None:
    from dynamo_lab.api.recording import run

    recording = _recorded(prints)
    label, outcome, made = run(recording, "apply", {"findings": [0]})
    assert label == "with graph-break"
    assert "verdict" in outcome
    assert outcome["verdict"] == "helped"
    assert made.breaks == ()


def test_a_change_with_which_the_program_fails_is_not_to_be_written() -> None:
    made = branch_and_print()
    failed = replace(
        made, failure=Failure(type="TypeError", message="expected Tensor()", traceback="")
    )
    done = applying.Application(
        (), Run(made), Run(failed), Numbers(same=None, sentence="Not compared"), None
    )
    told = str(answered(done, failed))
    assert "With the change the program fails with TypeError." in told
    assert "expected Tensor()" in told
    assert "Write:" not in told


def test_a_call_is_named_only_where_a_program_is_there_to_run() -> None:
    living = _recorded(branches)
    assert "rec.findings[0].apply()" in str(living.findings)
    assert "rec.breaks[0].try_fix()" in str(living)
    with lab.record() as recorder:
        torch.compile(branches, backend="eager")(torch.ones(4))
    told = f"{recorder.recording}\n{recorder.recording.findings}"
    assert "data-dependent branch" in told
    assert "rec." not in told.replace("rec.who_wrote", "")

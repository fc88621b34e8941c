"""Each piece of advice on a recompilation is followed, and the recompilation is gone.

Where there is nothing to do but to expect a compilation for each value, that is all there are.
"""

import ast
import inspect
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import ModuleType
from typing import Any

import pytest
import torch
import torch._dynamo
from torch._dynamo import config

import dynamo_lab as lab
from dynamo_lab.view import build
from dynamo_lab.view.guards import advice, numbers, remedy
from dynamo_lab.view.guards.failing import cause
from dynamo_lab.view.guards.remedy import Remedy
from tests.live.guards.recompiling import Calls, Scale, X, after_max
from tests.live.guards.trials import ELSEWHERE, TRIALS, Trial, layers, weights


def remedies(trial: Trial) -> tuple[Remedy, ...]:
    """What is advised on the first recompilation of the calls."""
    with lab.record() as recorder:
        called(trial.fn, trial.calls(), dict(trial.options))
    recording = recorder.recording
    assert recording.recompiles
    assert cause(recording.recompiles[0].failed[0]).kind == trial.kind
    return build(recording).guards.recompiles[0].causes[0].remedies


def called(fn: Callable[..., Any], calls: Calls, options: dict[str, Any], code: str = "") -> None:
    torch._dynamo.reset()
    scope: dict[str, Any] = {"torch": torch, "fn": fn}
    if code.startswith("compiled ="):
        exec(code, scope)
    compiled = scope.get("compiled", torch.compile(fn, backend="eager", **options))
    for call in calls:
        names = dict(zip(inspect.signature(fn).parameters, call, strict=True))
        if code and "compiled" not in scope:
            exec(code, scope, names)
        compiled(*(names[name] for name in inspect.signature(fn).parameters))


def recompilations(trial: Trial, calls: Calls, code: str = "") -> int:
    with lab.record() as recorder:
        called(trial.mended_fn or trial.fn, calls, dict(trial.options), code)
    assert recorder.recording.failure is None
    return len(recorder.recording.recompiles)


SETTINGS = {
    "allow_unspec_int_on_nn_module": False,
    "force_parameter_static_shapes": True,
    "force_nn_module_property_static_shapes": True,
}
OPENED: dict[str, Callable[[], Calls]] = {
    "allow_unspec_int_on_nn_module = True": lambda: [(X, Scale(n)) for n in (3, 4, 5, 6)],
    "force_nn_module_property_static_shapes = False": lambda: weights(5, 6, 7, 8),
    "size beside a parameter's": lambda: layers(5, 6, 7, 8),
}
"""Calls of which the second opens a value for all others, once a setting is made: by its end, or of
one trial."""


@pytest.mark.parametrize("name", TRIALS)
def test_following_the_advice_ends_the_recompilations(name: str) -> None:
    trial = TRIALS[name]
    found = remedies(trial)
    assert found
    for told in found:
        with config.patch(SETTINGS):
            setting = told.code.rpartition(".")[2]
            if (calls := OPENED.get(name, OPENED.get(setting))) is not None:
                assert recompilations(trial, calls(), told.code) == 1  # the second value opens it
            elif told.code:
                assert recompilations(trial, trial.calls(), told.code) == 0, told
            elif trial.mended:
                assert recompilations(trial, trial.mended()) == 0, told
            else:  # each needs its own code, and no more
                assert recompilations(trial, [*trial.calls(), *trial.calls()]) == 1, told


def after_settings(*contexts: Any) -> lab.Recording:
    torch._dynamo.reset()
    with lab.record() as recorder:
        compiled = torch.compile(after_max, backend="eager")
        for context in contexts:
            with context():
                compiled(X)
    return recorder.recording


@pytest.mark.parametrize("kind", sorted(ELSEWHERE))
def test_the_same_setting_for_every_call_ends_them(kind: str) -> None:
    def half() -> Any:
        return torch.autocast("cpu", torch.bfloat16)

    other = torch.no_grad if kind == "grad_mode" else half
    (found,) = after_settings(nullcontext, other).recompiles
    assert cause(found.failed[0]).kind == kind
    assert after_settings(other, other).recompiles == ()


def sentences() -> Iterator[str]:
    """Every literal sentence of advice on what a call passes."""
    for function in (*_body(advice), *_body(numbers), *_body(remedy)):
        is_tried = getattr(function, "name", "") not in ("_grad_mode", "_setting")
        has_docstring = isinstance(function, ast.FunctionDef | ast.ClassDef)
        known = ast.get_docstring(function, clean=False) if has_docstring else None
        for node in ast.walk(function):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and is_tried:
                text = node.value.strip()
                if node.value != known and len(text) > 30 and " " in text and "{" not in text:
                    yield text


def _body(module: ModuleType) -> list[ast.stmt]:
    """The statements of a module, without texts that stand by themselves and tell of the code."""
    parsed = ast.parse(inspect.getsource(module)).body
    return [one for one in parsed if not isinstance(one, ast.Expr)]


@pytest.mark.slow
def test_no_advice_is_without_a_trial() -> None:
    assert {trial.kind for trial in TRIALS.values()} | ELSEWHERE == set(advice._OF)
    # a backend that raises has the first; then those of calls that were refused, which
    # `test_refusals` follows, and of empty tensors, of `findings/recompilations/test_zero_one`
    elsewhere = (advice._NO_CODE, advice._NOT_TRIED, numbers._NOT_TRIED, "Marked unbacked, it is ")
    told = (
        "".join(elsewhere)
        + "compiled again all the same:"
        + " ".join(f"{one.text} {one.code}" for trial in TRIALS.values() for one in remedies(trial))
    )
    written = set(sentences())
    assert len(written) > 12
    assert [text for text in written if text not in told and "compiled = " not in text] == []


class Counting(torch.nn.Module):
    """A module whose Python number each call changes."""

    def __init__(self) -> None:
        super().__init__()
        self.step = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.step += 1
        return x * self.step


def test_advice_is_told_once_for_each_value() -> None:
    with lab.record() as recorder:
        compiled = torch.compile(Counting(), backend="eager")
        for _ in range(4):
            compiled(torch.ones(3))
    told = build(recorder.recording).guards.recompiles
    assert [len(story.causes) for story in told] == [1, 2, 3]
    first, *others = ([one for cause in story.causes for one in cause.remedies] for story in told)
    assert any("allow_unspec_int_on_nn_module" in one.code for one in first)
    assert others == [[], []]

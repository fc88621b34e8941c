"""Breaks in the code of libraries: what can be done about them, and what cannot."""

import copy
import importlib
import json
import logging
from pathlib import Path

import pytest
import torch
from torch._dynamo import config

import dynamo_lab as lab
from dynamo_lab.view import build

pytestmark = pytest.mark.live

LOG = logging.getLogger("tests.within_libraries")
LOG.addHandler(logging.NullHandler())
LOG.propagate = False  # pytest's own handlers would break too


def logs(x: torch.Tensor) -> torch.Tensor:
    LOG.warning("sum %s", x.sum())
    return x.log()


@pytest.fixture(scope="module")
def logged() -> lab.Recording:
    return lab.explore(logs, torch.ones(4), backend="eager")


def test_what_logging_does_for_a_call_is_not_the_readers_to_mend(logged: lab.Recording) -> None:
    recording = logged
    view = build(recording)
    own, *within = view.breaks
    assert "ignore_logging_functions" in own.fixes[0].code
    assert within, "Dynamo looks at the frames of logging, which runs in Python"
    calls = [item for item in within if item.title == "logging call"]
    assert calls
    for item in calls:
        assert item.fixes == (), "without what findCaller gives, logging fails"
        assert item.advice[0].startswith("Python's `logging` runs here")
    told = [one.sentence for one in recording.findings]
    assert sum("logging call" in one for one in told) == 1, "the reader's own"
    assert "of them within Python's `logging`" in view.summary.sentence
    assert "logging/__init__.py" not in view.summary.sentence


def test_without_a_call_nothing_that_it_calls_breaks(logged: lab.Recording) -> None:
    found = logged.findings[0]
    assert "ignore_logging_functions" in found.code
    assert found.gain
    assert (found.gain.before, found.gain.after) == (len(logged.breaks), 0)
    with config.patch(ignore_logging_functions={logging.Logger.warning}):
        assert lab.explore(logs, torch.ones(4), backend="eager").breaks == ()


def hooked() -> torch.nn.Linear:
    module = torch.nn.Linear(4, 4)
    module.register_forward_hook(lambda _module, _args, out: print(out.mean().item()))
    return module


@pytest.fixture(scope="module")
def called() -> lab.Recording:
    return lab.explore(hooked(), torch.ones(2, 4), backend="eager")


def test_the_call_of_a_module_is_not_named_by_pytorchs_file(called: lab.Recording) -> None:
    view = build(called)
    assert view.frames[0].name == "Linear"
    assert view.frames[0].where == "the compiled call"
    assert "before any operation could be compiled" in view.frames[0].explanation
    assert view.run_map[0].text == "no tensor operation before break 1"
    assert not any("external_utils" in source.label for source in view.sources)
    assert "external_utils" not in str(called)
    stack = [line.label for item in view.breaks for line in item.stack]
    assert not any(label.startswith("module.py") for label in stack)


def test_what_a_library_calls_is_not_said_to_be_compiled_whole(called: lab.Recording) -> None:
    [told] = [story.then for story in build(called).stories if story.cause is not None]
    assert "and Dynamo compiled functions that it calls" in told
    assert "compiled that on its own" not in told


def test_a_number_that_is_printed_foretells_nothing(called: lab.Recording) -> None:
    assert "capture_scalar_outputs" in called.findings[0].code
    assert called.findings[0].gain is None, "the print of a symbol breaks"


def noisy(x: torch.Tensor) -> torch.Tensor:
    print("noisy")
    torch._dynamo.graph_break()
    return x + 1


def calls(x: torch.Tensor) -> torch.Tensor:
    return noisy(x.sin()).cos()


@pytest.mark.slow
def test_a_caller_goes_on_breaking_where_what_it_calls_breaks_for_another_reason() -> None:
    recording = lab.explore(calls, torch.ones(4), backend="eager")
    found = next(one for one in recording.findings if "print" in one.sentence)
    assert found.gain
    assert (found.gain.before, found.gain.after) == (3, 2), "then it breaks at the next one"
    at = int(found.evidence[0].entity.partition(":")[2])
    assert len(recording.try_fix(at).recording.breaks) == 2


def test_a_recurrent_module_alone_is_no_place_where_nothing_can_be_done() -> None:
    with config.patch(allow_rnn=False):
        recording = lab.explore(torch.nn.LSTM(4, 5), torch.ones(6, 2, 4), backend="eager")
    view = build(recording)
    [item] = view.breaks
    assert [fix.name for fix in item.fixes] == ["allow_rnn"]
    assert not any("nothing to change" in text for text in item.advice)
    told = (
        "broke once, at the compiled call"  # and Dynamo goes on after it
        if torch.__version__ >= "2.15"
        else "skipped `LSTM`, which broke at the compiled call"
    )
    assert told in view.summary.sentence
    assert "allow_rnn" in recording.findings[0].code


def test_a_package_that_breaks_is_named_whoever_calls_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages" / "lab_test_scaling"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "def scale(x):\n    if x.sum() > 0:\n        return x * 2\n    return x\n"
    )
    monkeypatch.syspath_prepend(str(package.parent))
    scale = importlib.import_module("lab_test_scaling").scale

    def uses(x: torch.Tensor) -> torch.Tensor:
        return scale(x.sin()) + 1

    view = build(lab.explore(uses, torch.ones(4), backend="eager"))
    assert "in the library `lab_test_scaling` (data-dependent branch)" in view.summary.sentence
    told = [item.advice[0] for item in view.breaks]
    assert any("not yours: what you can change is" in text for text in told)
    assert any("no line of yours in this frame leads there" in text for text in told)


def test_what_dynamo_traces_for_a_built_in_is_the_code_that_calls_it() -> None:
    def saves(x: torch.Tensor, told: dict[str, float]) -> tuple[torch.Tensor, str]:
        text = json.dumps(told)
        return x + 1, text

    recording = lab.explore(saves, torch.ones(4), {"mean": 1.0}, backend="eager")
    [found] = build(recording).findings.found
    assert " of Python's `json`, which it calls: " in found.sentence
    assert "polyfills" not in found.sentence
    assert found.remedy.startswith("This is code of Python's `json`, not yours")
    assert not found.code


def test_a_deepcopy_of_what_holds_tensors_is_told_as_the_readers_call() -> None:
    def copies(x: torch.Tensor, held: dict[str, torch.Tensor]) -> torch.Tensor:
        held = copy.deepcopy(held)
        return x * held["scale"]

    held = {"scale": torch.ones(4)}
    recording = lab.explore(copies, torch.ones(4), held, backend="eager")
    [found] = build(recording).findings.found
    assert found.remedy.startswith("Copy a tensor with `x.clone()`")

    def clones(x: torch.Tensor, held: dict[str, torch.Tensor]) -> torch.Tensor:
        held = {name: one.clone() for name, one in held.items()}
        return x * held["scale"]

    assert not lab.explore(clones, torch.ones(4), held, backend="eager").breaks

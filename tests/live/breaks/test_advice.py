"""Each example of our advice: it breaks as its rule says, and not after the change."""

import json
import linecache
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo
from torch._dynamo import config

import dynamo_lab as lab
from dynamo_lab.view import build
from dynamo_lab.view.breaks.advice import RULES, Rule, rule_of

EXAMPLES = {rule.title: rule for rule in RULES if rule.example}
REGISTRY = Path(torch._dynamo.__file__).with_name("graph_break_registry.json")


@pytest.fixture(autouse=True)
def settings() -> Generator[None, None, None]:
    """An example may set an option of Dynamo, for its own test only."""
    with config.patch(allow_rnn=False):
        yield


def ids_by_kind() -> dict[str, str]:
    entries = json.loads(REGISTRY.read_text(encoding="utf-8"))
    return {form["Gb_type"]: number for number, forms in entries.items() for form in forms}


def program(rule: Rule, source: str, form: str) -> tuple[Any, tuple[Any, ...]]:
    """The example's function and new arguments for it."""
    filename = f"<{rule.title}, {form}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": "example"}
    torch.manual_seed(0)
    exec(compile(source, filename, "exec"), namespace)
    assert rule.example is not None
    args = eval(f"({rule.example.inputs},)", {"torch": torch})
    torch.manual_seed(0)
    return namespace["f"], args


def explored(rule: Rule, source: str, form: str) -> lab.Recording:
    fn, args = program(rule, source, form)
    return lab.explore(fn, *args, backend="eager")


def result(rule: Rule, source: str) -> Any:
    fn, args = program(rule, source, "eager")
    return fn(*args)


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_breaks_before_and_not_after(title: str) -> None:
    rule = EXAMPLES[title]
    assert rule.example is not None
    before = explored(rule, rule.example.before, "before")
    kinds = [rule_of(item).title for item in before.breaks]
    mended_in = rule.example.mended_in
    is_mended = bool(mended_in) and torch.__version__ >= mended_in
    assert (title in kinds) is not is_mended, [(b.gb_type, b.context) for b in before.breaks]
    registry = ids_by_kind()
    for item in before.breaks:
        assert item.registry_id == registry[item.gb_type]
        assert item.registry_id.startswith("GB")
    after = explored(rule, rule.example.after, "after")
    assert after.failure is None
    assert [(item.gb_type, item.context) for item in after.breaks] == []
    assert len(after.captured_graphs()) == 1


@pytest.mark.parametrize("title", [t for t, r in EXAMPLES.items() if r.example and r.example.same])
def test_an_example_computes_the_same_after(title: str) -> None:
    rule = EXAMPLES[title]
    assert rule.example is not None
    after = result(rule, rule.example.after)
    try:
        before = result(rule, rule.example.before)
    except ValueError:
        assert title == "exception raised"
        return
    torch.testing.assert_close(after, before, check_dtype=False)


def test_what_a_scheduler_wraps_is_compiled_by_itself() -> None:
    weight = torch.nn.Parameter(torch.ones(4))
    weight.grad = torch.ones(4)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9**epoch)

    def step() -> None:
        optimizer.step()

    recording = lab.explore(step, backend="eager")
    shown = next(one for one in build(recording).breaks if one.frame == "step")
    assert shown.title == "optimizer step with a scheduler"
    compiled = [frame.name for frame in recording.frames if frame.outcome == "compiled"]
    assert "SGD.step" in compiled


def test_no_setting_is_offered_where_none_captures_the_operator() -> None:
    rule = EXAMPLES["loss over alignments"]
    assert rule.example is not None
    (found,) = explored(rule, rule.example.before, "as it is").breaks
    assert found.fixes == ()
    with config.patch(capture_dynamic_output_shape_ops=True):
        assert explored(rule, rule.example.before, "captured").breaks

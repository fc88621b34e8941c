"""The text of every rule is whole: it runs by itself, and defines a rule."""

from __future__ import annotations

import linecache
import operator
from typing import Any

import pytest
import torch

from dynamo_lab.compiler.live.rule_text import rule_from, text_of
from dynamo_lab.compiler.rules import RULES
from dynamo_lab.errors import LoweringError

aten = torch.ops.aten


def test_each_rule_has_a_text_that_runs() -> None:
    for target, rule in RULES.items():
        text = text_of(rule)
        assert text, target
        assert callable(rule_from(text, rule, target)), target


def test_what_a_rule_was_given_stands_before_it() -> None:
    text = text_of(RULES[aten.exp.default])
    assert text.startswith("name = 'exp'\nbody = lambda *values: apply(name, *values)\n")
    assert "def lower(call" in text
    assert "name='and'" in text_of(RULES[aten.logical_and.default])  # its default, not the last one


@pytest.mark.parametrize(
    ("target", "name", "code"),
    [
        (aten.gelu.default, "_gelu", "0.044715"),
        (aten.sign.default, "_sign", 'apply("gt", v, 0)'),
        (aten.angle.default, "_angle", "math.pi"),
        (aten.round.decimals, "_round_to", "10.0 ** abs(decimals)"),
        (aten.fmod.Tensor, "_fmod", 'apply("fmod", a, b)'),
        (aten.remainder.Tensor, "_remainder", 'apply("remainder", a, b)'),
        (aten.scatter.src, "_scatter", "checked(ids(at), x.size[dim])"),
        (aten.scatter_add.default, "_scatter_add", "adds=True"),
    ],
)
def test_a_rule_of_its_own_stands_under_its_name_at_its_line(
    target: object, name: str, code: str
) -> None:
    """What views of a recording name and link, and what a reader changes."""
    rule: Any = RULES[target]
    assert rule.__code__.co_name == name
    first = linecache.getline(rule.__code__.co_filename, rule.__code__.co_firstlineno)
    assert first.startswith("@rule(")
    assert text_of(rule).startswith(f"def {name}(")
    assert code in text_of(rule)


def test_a_changed_text_reads_the_modules_names() -> None:
    """`operator` is a module there: nothing that a rule is given may stand before it."""
    scope = rule_from(text_of(RULES[aten.exp.default]), RULES[aten.exp.default], "exp").__globals__
    assert scope["operator"] is operator


def test_the_text_of_a_text_is_itself() -> None:
    text = "def mine(call, x):\n    return x"
    assert text_of(rule_from(text, None, "mine")) == text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def f(:\n  pass", r"The rule is no Python: line 1: "),
        ("x = 1", "The text defines no function"),
        ("x = missing\ndef f(call): pass", "raises NameError as it is run"),
    ],
)
def test_a_text_that_is_no_rule_is_told(text: str, sentence: str) -> None:
    with pytest.raises(LoweringError, match=sentence):
        rule_from(text, RULES[aten.exp.default], aten.exp.default)

"""The text of every rule is whole: it runs by itself, and defines a rule."""

from __future__ import annotations

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
    assert text.startswith("operator = 'exp'\nbody = lambda *values: apply(operator, *values)\n")
    assert "def lower(call" in text
    assert "name='and'" in text_of(RULES[aten.logical_and.default])  # its default, not the last one


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

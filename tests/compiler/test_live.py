"""The compiler changed while it runs: each change counts, is checked, and can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.compiler.body import apply
from dynamo_lab.compiler.rules import RULES
from dynamo_lab.errors import LoweringError, WrongProgramError

if TYPE_CHECKING:
    from dynamo_lab.compiler.body import Value
    from dynamo_lab.compiler.live.program import LiveProgram
    from dynamo_lab.compiler.rules import Call
    from dynamo_lab.compiler.tensors import LazyTensor

pytestmark = pytest.mark.live

aten = torch.ops.aten


def fn(x: torch.Tensor) -> torch.Tensor:
    return torch.tanh(x).softmax(-1)


def by(body: Any) -> Any:
    def rule(call: Call, x: LazyTensor) -> LazyTensor:
        return lab.compiler.pointwise(call, [x], body)

    return rule


@pytest.fixture
def program() -> LiveProgram:
    (found,) = lab.compiler.programs(fn, torch.randn(33, 7))
    return found


def test_a_rule_of_an_operator_that_is_decomposed_counts_within_and_is_undone() -> None:
    calls: list[Value] = []

    def silu(v: Value) -> Value:
        calls.append(v)
        return v / (1.0 + apply("exp", -v))

    silu_op = aten.silu.default
    before = RULES.get(silu_op)
    with lab.compiler.rule(silu_op)(by(silu)):
        (found,) = lab.compiler.programs(torch.nn.functional.silu, torch.randn(33))
    assert calls
    found.check()
    assert RULES.get(silu_op) is before


def test_rules_are_undone_in_any_order() -> None:
    before = RULES[aten.tanh.default]
    first = lab.compiler.rule(aten.tanh.default)(by(lambda v: v))
    second = lab.compiler.rule(aten.tanh.default)(by(lambda v: -v))
    first.undo()
    assert RULES[aten.tanh.default] is second.made
    second.undo()
    second.undo()
    assert RULES[aten.tanh.default] is before


def test_a_wrong_rule_is_refused_with_its_operator_and_line(program: LiveProgram) -> None:
    with pytest.raises(WrongProgramError) as told:
        program.relower(rules={aten.tanh.default: by(lambda v: v * 0.5)})
    assert "result 0 is off by up to " in str(told.value)
    assert "that of tanh (aten.tanh.default), at the line `return torch.tanh(" in str(told.value)


def test_a_right_rule_is_taken_and_only_by_the_new_program(program: LiveProgram) -> None:
    rule = by(lambda v: 2.0 / (1.0 + apply("exp", v * -2.0)) - 1.0)
    again = program.relower(rules={aten.tanh.default: rule})
    assert again.sources != program.sources
    assert program.relower().sources == program.sources
    assert all(one.verdict in ("equal", "close") for one in again.check())
    assert again.time(3) > 0


def test_fusion_is_changed_and_stays_so(program: LiveProgram) -> None:
    choices = lab.compiler.Choices(forbidden=lambda a, b: "to see what it costs")
    apart = program.relower(choices=choices)
    assert len(apart.kernels) > len(program.kernels)
    assert len(apart.relower().kernels) == len(apart.kernels)


def test_a_text_is_run_as_it_is_given(program: LiveProgram) -> None:
    name, text = program.kernels[0].name, program.sources[0]
    assert program.relower(sources={name: text + "// mine\n"}).sources[0].endswith("// mine\n")
    with pytest.raises(WrongProgramError, match="in how loops were fused or printed"):
        program.relower(sources={name: text.replace("tanh", "sin")})


def test_what_is_not_there_is_named(program: LiveProgram) -> None:
    with pytest.raises(LoweringError, match=r"no aten\.silu\.default"):
        program.relower(rules={aten.silu.default: by(lambda v: v)})
    with pytest.raises(LoweringError, match="no kernel kernel9; there are: kernel0"):
        program.relower(sources={"kernel9": ""})


def written(x: torch.Tensor, y: torch.Tensor) -> None:
    x.add_(y.exp())


def test_a_wrong_write_is_seen() -> None:
    (found,) = lab.compiler.programs(written, torch.randn(5), torch.randn(5))
    found.check()
    with pytest.raises(WrongProgramError, match="argument 0 is off"):
        found.relower(rules={aten.exp.default: by(lambda v: v)})


def test_a_function_can_be_compiled_often() -> None:
    for _ in range(10):
        assert lab.compiler.programs(fn, torch.randn(3, 3))

"""The compiler changed while it runs: each change counts, is checked, and can be undone."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.compiler.body import apply
from dynamo_lab.compiler.printers.c import CPrinter
from dynamo_lab.compiler.rules import RULES
from dynamo_lab.compiler.targets.metal import Metal
from dynamo_lab.compiler.targets.triton import Triton
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
    assert inspect.unwrap(RULES[aten.tanh.default]) is second.made
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


def test_fusion_is_forced_where_it_is_legal_and_undone(program: LiveProgram) -> None:
    apart = program.relower(apart=[("tanh", "buf1")])
    assert len(apart.kernels) == len(program.kernels) + 1
    assert "kernels: 1 -> 2" in str(apart.diff())
    assert apart.undo() is program
    again = apart.relower(fuse=[("tanh", "buf1")])
    assert again.sources == program.sources
    assert not again.diff(program)


def shifted(x: torch.Tensor) -> torch.Tensor:
    y = x.exp()
    return torch.cat([y[1:], y[:1]]) * y.flip(0)


def test_an_illegal_fusion_is_held_against_eager_and_told_with_value_and_line() -> None:
    (found,) = lab.compiler.programs(shifted, torch.randn(40))
    assert len(found.kernels) == 2
    with pytest.raises(WrongProgramError) as told:
        found.relower(fuse=[("buf0", "buf1")])
    assert "result 0 is " in str(told.value)
    assert "the line `return torch.cat(" in str(told.value)
    assert "forced into one kernel although buf1 reads buf0 at" in str(told.value)


def two_sizes(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.exp(), y.sin()


def test_what_no_loops_could_run_cannot_be_forced() -> None:
    (found,) = lab.compiler.programs(two_sizes, torch.randn(8), torch.randn(9))
    with pytest.raises(LoweringError, match="cannot share a kernel: one loops over 8"):
        found.relower(fuse=[("exp", "sin")])
    with pytest.raises(LoweringError, match="cos has no loop of its own; these have: buf0"):
        found.relower(fuse=[("exp", "cos")])


def transposed(x: torch.Tensor) -> torch.Tensor:
    return (x.t() + 1).contiguous()


def test_loops_are_ordered_tiled_and_unrolled_as_told() -> None:
    (found,) = lab.compiler.programs(transposed, torch.randn(50, 70))
    tuning = lab.compiler.Tuning(order=("i1", "i0"), tile={"i0": 16}, unroll={"i0": 4})
    (text,) = found.relower(loops={"kernel0": tuning}).sources
    heads = [line.strip() for line in text.splitlines() if "for (" in line or "UNROLL" in line]
    assert heads == [
        "for (long i0_0 = 0; i0_0 < 70; i0_0 += 16) {",
        "for (long i1 = 0; i1 < 50; i1++) {",
        "UNROLL(4)",
        "for (long i0 = i0_0; i0 < (i0_0 + 16 < 70 ? i0_0 + 16 : 70); i0++) {",
    ]


def added_rows(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    return torch.zeros(5, 64).index_add(0, at, x)


def test_turns_that_may_write_one_element_share_no_threads_whatever_their_order() -> None:
    args = torch.randn(4000, 64), torch.arange(4000) % 5
    (found,) = lab.compiler.programs(added_rows, *args)
    name = found.kernels[-1].name
    for order in (("i0", "i1"), ("i1", "i0")):
        text = found.relower(loops={name: lab.compiler.Tuning(order=order)}).sources[-1]
        before = [line.strip() for line in text.split("for (long i0")[0].splitlines()]
        assert not before[-1].startswith("#pragma")
        assert ("parallel for" in text) == (order[0] == "i1")


def test_columns_that_are_reduced_side_by_side_have_loops_that_are_ordered_too() -> None:
    (found,) = lab.compiler.programs(lambda x: x.sum(0), torch.randn(50, 70))
    changed = found.relower(loops={"kernel0": lab.compiler.Tuning(tile={"r0": 8})})
    assert "for (long r0_0 = 0; r0_0 < 50; r0_0 += 8) {" in changed.sources[0]


@pytest.mark.parametrize(
    ("tuning", "sentence"),
    [
        (lab.compiler.Tuning(order=("i7",)), r"kernel0 has no loop i7; it has: i0, r0\."),
        (lab.compiler.Tuning(order=("r0", "i0")), "has to name each of i0 once, then each of r0"),
        (lab.compiler.Tuning(tile={"i0": 0}), "0 is no number of turns"),
        (lab.compiler.Tuning(unroll={"i0": 1000}), "unroll at most 64"),
    ],
)
def test_a_tuning_that_makes_no_sense_is_refused(
    program: LiveProgram, tuning: lab.compiler.Tuning, sentence: str
) -> None:
    with pytest.raises(LoweringError, match=sentence):
        program.relower(loops={"kernel0": tuning})


def test_a_printer_has_another_method(program: LiveProgram) -> None:
    changed = program.relower(printer={"value": lambda self, v: f"({CPrinter.value(self, v)})"})
    assert "= (tanhf(" in changed.sources[0]
    with pytest.raises(LoweringError, match="CPrinter has no method valu; it has: "):
        program.relower(printer={"valu": CPrinter.value})


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (lambda call, x: 1 / 0, r"raises ZeroDivisionError at line \d+, `.*`: division by zero"),
        (lambda call, x: 3, "gives an int; it has to give a lazy tensor"),
        (
            lambda call, x: call.graph.reduce("sum", x, [1], False, x.dtype),
            r"gives float32 \[33\], and the graph expects float32 \[33, 7\]",
        ),
    ],
)
def test_a_broken_rule_is_told_in_a_sentence(
    program: LiveProgram, rule: Any, sentence: str
) -> None:
    before = dict(RULES)
    with pytest.raises(LoweringError, match=sentence):
        program.relower(rules={aten.tanh.default: rule})
    assert before == RULES


def test_an_interrupt_leaves_no_rule_replaced(program: LiveProgram) -> None:
    def interrupted(call: Call, x: LazyTensor) -> LazyTensor:
        raise KeyboardInterrupt

    before = dict(RULES)
    with pytest.raises(KeyboardInterrupt):
        program.relower(rules={aten.tanh.default: interrupted})
    with pytest.raises(KeyboardInterrupt), lab.compiler.rule(aten.tanh.default)(interrupted):
        raise KeyboardInterrupt
    assert before == RULES


def test_an_operator_is_left_to_aten(program: LiveProgram) -> None:
    changed = program.relower(rules={aten.tanh.default: None})
    assert [one.target for one in changed.fallbacks] == ["aten.tanh.default"]


def test_a_text_that_writes_beside_its_memory_is_refused(program: LiveProgram) -> None:
    text = program.sources[0]
    beyond = f"{text.rstrip()[:-1]}  buf4[33 * 7] = 2;\n}}\n"
    with pytest.raises(WrongProgramError, match="writes beyond the memory of its buffers"):
        program.relower(sources={"kernel0": beyond})


def test_two_programs_are_timed_in_turns(program: LiveProgram) -> None:
    turns = program.relower().time_beside(seconds=0.05)
    assert len(turns.before) == len(turns.after) > 0
    assert "microseconds a call" in str(turns)


def test_stages_print(program: LiveProgram) -> None:
    assert str(program.loops).startswith("buf0: 33 x 7\n%0: float32 = load(")
    assert str(program.groups) == "buf0+buf1+buf2+buf3+buf4"
    assert str(program.kernels).startswith("kernel0: for i0 < 33")
    assert str(program.graph) == str(program.loops)
    units, _, verdicts = str(program.schedule).partition("\n\n")
    assert units == "0: buf0+buf1+buf2+buf3+buf4"
    assert verdicts.splitlines() == [str(one) for one in program.schedule.verdicts]


def taken(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    y = x.exp()
    return y.sum(-1) + y[at].sum(-1)


def test_nothing_that_prints_has_an_address_of_memory() -> None:
    (found,) = lab.compiler.programs(taken, torch.randn(8, 6), torch.arange(8))
    stages = (found.graph, found.loops, found.schedule, found.groups, found.kernels)
    printed = "\n".join(str(stage) for stage in stages)
    assert "checked(" in printed
    assert not re.search(r"@\d|0x[0-9a-f]{6}", printed)


def test_a_text_differs_by_what_was_written_alone(program: LiveProgram) -> None:
    """An editor gives a text without the line's end that the printer writes."""
    name, text = program.kernels[0].name, program.sources[0]
    assert not program.relower(sources={name: text.rstrip("\n")}).diff()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_triton_without_a_gpu_is_refused_in_a_sentence(
    program: LiveProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    with pytest.raises(LoweringError, match="Triton kernels need a GPU to run"):
        program.relower(target=Triton())
    if not torch.backends.mps.is_available():
        with pytest.raises(LoweringError, match="Metal kernels need a Mac's GPU to run"):
            program.relower(target=Metal())


net = torch.nn.Linear(8, 8)


def step(x: torch.Tensor) -> torch.Tensor:
    loss = net(x).relu().sum()
    loss.backward()
    return loss.detach()


def test_a_backward_that_is_called_while_dynamo_looks_is_compiled_whole() -> None:
    assert len(lab.compiler.programs(step, torch.randn(4, 8))) >= 2

"""Schedules, memory, and the answers to "why not fused?"."""

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from dynamo_lab.api import why_not
from dynamo_lab.errors import FusionError
from dynamo_lab.model.fusion.fusion import (
    Group,
    Operation,
    Placed,
    Ruling,
    Schedule,
    VerdictTable,
)
from dynamo_lab.model.fusion.memory import MemoryBuffer
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.fusion.advice import UNSEEN, advice, is_known, of_reason
from dynamo_lab.view.fusion.why_not import ask
from tests.view.samples import branch_and_print, scheduled


def test_operations_are_tied_to_nodes_lines_and_kernels() -> None:
    schedule = build(scheduled()).fusions.schedules[0]
    first = schedule.operations[0]
    assert (first.name, first.loops, first.kernel, first.place) == ("op0", "8 x 8", 0, 0)
    assert first.entity.startswith("line:")
    assert schedule.operations[2].title == "extern_kernels.mm"
    assert [place.name for place in schedule.final][:2] == ["cpp_fused_add_gelu_0", ""]
    assert schedule.sentences[0] == "5 operations became 4 groups, and 2 kernels."


def test_memory_is_counted_at_each_call() -> None:
    """A storage counts once, from its allocation to the end of all that live in it."""
    plan = build(scheduled()).fusions.schedules[0].memory[0]
    donated = 64
    assert [step.bytes for step in plan.steps] == [288 + donated, 544 + donated, 544]
    assert (plan.peak, plan.peak_bytes) == (1, 608)
    lives = {life.name: life for life in plan.lives}
    spans = {name: (life.start, life.end, life.last_read) for name, life in lives.items()}
    assert spans == {
        "tangents_1": (0, 1, -1),
        "buf0": (0, 2, 2),
        "buf1": (0, 2, 2),
        "buf2": (1, 1, -1),
        "buf3": (2, 2, -1),
        "buf4": (2, 2, -1),
    }
    assert lives["buf3"].source == "buf1"
    assert [life.name for life in plan.kernel_internal] == ["buf9"]


def test_fusion_is_not_said_to_keep_what_nothing_reads() -> None:
    """Flash attention has a second result: the scheduler drops it before it fuses anything."""
    recording = scheduled()
    unread = MemoryBuffer(name="buf5", role="removed", bytes=80, dtype="float32", shape=("20",))
    plan = recording.memory_plans[0]
    plan = replace(plan, buffers=(*plan.buffers, unread))
    made = build(replace(recording, memory_plans=(plan,))).fusions.schedules[0].memory[0]
    assert [life.name for life in made.kernel_internal] == ["buf9"]
    assert "Fusion kept 1 more, 128 B, out of memory entirely." in made.sentences
    assert "Nothing reads `buf5`: no memory is planned for it." in made.sentences


def test_a_result_of_a_library_that_nothing_reads_is_said_to_be_allocated() -> None:
    recording = scheduled()
    unread = MemoryBuffer(name="buf5", role="removed", bytes=80, dtype="int64", shape=("10",))
    plan = recording.memory_plans[0]
    plan = replace(plan, buffers=(*plan.buffers, unread))
    schedule = recording.schedules[0]
    sort = replace(schedule.operations[0], call="a result of buf4")
    schedule = replace(schedule, operations=(sort, *schedule.operations[1:]))
    made = replace(recording, memory_plans=(plan,), schedules=(schedule,))
    told = build(made).fusions.schedules[0].memory[0].sentences
    assert any("it allocates all the same, which is not counted here" in one for one in told)


def test_what_a_library_takes_for_itself_is_not_in_the_peak_and_said_to_be_unknown() -> None:
    recording = scheduled()
    schedule = recording.schedules[0]
    [at] = [n for n, one in enumerate(schedule.operations) if one.call == "extern_kernels.mm"]
    told = "and what 1 call allocates for itself, which is not known"

    def said(**changes: str) -> bool:
        operations = list(schedule.operations)
        operations[at] = replace(operations[at], **changes)
        changed = replace(schedule, operations=tuple(operations))
        made = build(replace(recording, schedules=(changed, *recording.schedules[1:])))
        return told in made.fusions.schedules[0].memory[0].sentences[0]

    assert said(kind="extern", call="torch.ops.aten.sort.default")
    assert not said(kind="extern", call="AssertScalar")
    assert not said(kind="extern", call="a result of buf0")
    assert not said(kind="pointwise", call="")


def test_what_a_kernel_in_cpp_takes_for_itself_is_said() -> None:
    recording = scheduled()
    code = "auto sums = std::make_unique<float[]>(8);"
    kernels = tuple(replace(one, code=code) for one in recording.kernels)
    told = build(replace(recording, kernels=kernels)).fusions.schedules[0].memory[0].sentences[0]
    assert "allocate for themselves, which is not known" in told


def test_unknown_sizes_are_said() -> None:
    recording = scheduled()
    plan = recording.memory_plans[0]
    buffers = (replace(plan.buffers[0], bytes=None), *plan.buffers[1:])
    recording = replace(recording, memory_plans=(replace(plan, buffers=buffers),))
    made = build(recording).fusions.schedules[0].memory[0]
    assert any("unknown" in sentence for sentence in made.sentences)


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("op0", "op1", "In round 1, vertical fusion: op0 with op1."),
        ("buf0", "buf3", "cannot make one loop"),
        ("op1", "op2", "op2 calls a library function, `extern_kernels.mm`"),
        ("op0", "op4", "have none"),
        ("op3", "op4", "have none"),
        ("sum_1", "gt", "cannot make one loop"),
        ("op2", "op2", "one and the same"),
    ],
)
def test_why_not(one: str, other: str, told: str) -> None:
    assert told in " ".join(ask(scheduled(), one, other).sentences)


def test_what_has_to_run_between_is_named() -> None:
    said = _said_between(scheduled())
    assert said == "op1 has to run after {a} and before {b}."


def test_many_between_are_counted() -> None:
    recording = scheduled()
    chain = [
        Operation(name=f"op{at}", buffers=(f"buf{at}",), kind="pointwise", after=(at - 1,))
        for at in range(1, 7)
    ]
    first = recording.schedules[0].operations[0]
    schedule = _apart(recording, (first, *chain), start=tuple(range(7)), last=6)
    said = _said_between(replace(recording, schedules=(schedule,), memory_plans=()))
    assert said == "op1, op2, op3 and 2 more have to run after {a} and before {b}."


def test_a_group_in_between_waits_as_a_whole() -> None:
    """op1 waits for op0 and op2 waits for nothing, but they were one group by then."""
    recording = scheduled()
    before = recording.schedules[0].operations
    operations = (
        before[0],
        replace(before[1], after=(0,)),
        replace(before[2], after=()),
        replace(before[3], after=(2,), weak=()),
    )
    schedule = _apart(recording, operations, start=(0, 4, 3), last=3, together=(1, 2))
    said = _said_between(replace(recording, schedules=(schedule,), memory_plans=()))
    assert said == "op1 and op2 have to run after {a} and before {b}."


def test_nothing_is_named_where_nothing_is_found() -> None:
    recording = scheduled()
    operations = tuple(replace(one, after=(), weak=()) for one in recording.schedules[0].operations)
    schedule = replace(recording.schedules[0], operations=operations)
    said = _said_between(replace(recording, schedules=(schedule,)))
    assert said == "Something else has to run after {a} and before {b}."


def test_the_index_is_found_where_pytorch_asked_about_none() -> None:
    """Since torch 2.15, lists of which one index needs another are refused at once."""
    parts = tuple(
        Operation(name=f"op{at}", buffers=(f"buf{at}",), kind="pointwise", reads=reads)
        for at, reads in enumerate([(), (), (), ("buf0",), ("buf2",), ("buf1",)])
    )
    alone = [Group(operations=(at,)) for at in range(6)]
    lists = [
        Group(operations=(at, at + 1, at + 2), kind="foreach", parts=((at,), (at + 1,), (at + 2,)))
        for at in (0, 3)
    ]
    recording = scheduled()
    reason = "a consumer depends on another producer sub-node"
    refused = replace(recording.schedules[0].verdicts.rulings[1], reasons=(reason,))
    schedule = replace(
        recording.schedules[0],
        operations=parts,
        groups=(*alone, *lists),
        start=(6, 7),
        verdicts=VerdictTable(rulings=(refused,), pairs=((6, 7),), ruling=(0,)),
        final=(Placed(group=6), Placed(group=7)),
    )
    recording = replace(recording, schedules=(schedule,), memory_plans=())
    (shown,) = build(recording).fusions.schedules
    assert shown.foreach is not None
    (pair,) = shown.foreach.pairs
    assert [one.state for one in pair.indices] == ["not asked", "refused", "not asked"]
    assert pair.sentence.startswith(
        "Refused at index 1 of 3. There the second list reads what the first has at index 2."
    )


def _apart(
    recording: Recording,
    operations: tuple[Operation, ...],
    start: tuple[int, ...],
    last: int,
    together: tuple[int, ...] = (),
) -> Schedule:
    """A schedule in which op0 and the last are refused, as others lie between."""
    alone = [Group(operations=(index,)) for index in range(len(operations))]
    refused = recording.schedules[0].verdicts.rulings[1]
    return replace(
        recording.schedules[0],
        operations=operations,
        groups=(*alone, *([Group(operations=together, kind="foreach")] if together else [])),
        start=start,
        verdicts=VerdictTable(rulings=(refused,), pairs=((0, last),), ruling=(0,)),
        final=tuple(Placed(group=index) for index in start),
    )


def _said_between(recording: Recording) -> str:
    rulings = build(recording).fusions.schedules[0].rulings
    (said,) = [one.why[0].why for one in rulings if one.reasons]
    return said


def test_what_would_change_it() -> None:
    found = ask(scheduled(), "op1", "op2")
    assert found.changes
    assert "max-autotune" in found.changes[0]


def test_a_name_that_acts_on_a_terminal_is_printed_as_text() -> None:
    recording = scheduled()
    schedule = recording.schedules[0]
    hostile = replace(schedule.operations[2], call="\x1b[2J.mm")
    operations = (*schedule.operations[:2], hostile, *schedule.operations[3:])
    recording = replace(recording, schedules=(replace(schedule, operations=operations),))
    told = str(why_not.ask(recording, "op1", "op2"))
    assert repr(why_not.ask(recording, "op1", "op2")) == told
    assert "\x1b" not in told
    assert "What would change it" in told


@pytest.mark.parametrize(
    ("recording", "names", "graph"),
    [
        (branch_and_print(), ("op0", "op1"), None),
        (scheduled(), ("op0", "nothing"), None),
        (scheduled(), ("op0", "op1"), 99),
    ],
)
def test_one_sentence_says_what_to_pass(
    recording: Recording, names: tuple[str, str], graph: int | None
) -> None:
    with pytest.raises(FusionError, match=r"(record|pass)[^.]*\.$"):
        ask(recording, *names, graph)


def test_unknown_reasons_are_told_as_they_are() -> None:
    unknown = Ruling(
        first_round=1, round=1, kind="vertical", outcome="refused", reasons=("moon is full",)
    )
    assert [item.why for item in advice(unknown)] == ["moon is full"]


def _reasons() -> Iterator[str]:
    """Every literal reason of the installed PyTorch."""
    found = importlib.util.find_spec("torch")
    assert found is not None
    assert found.origin is not None
    inductor = Path(found.origin).parent / "_inductor"
    for name in ("scheduler.py", "choices.py", "codegen/simd.py", "codegen/cutlass/scheduling.py"):
        for call in ast.walk(ast.parse((inductor / name).read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and _is_why(call.func) and call.args:
                text = call.args[0]
                parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                yield "".join(str(p.value) for p in parts if isinstance(p, ast.Constant))


def _is_why(function: ast.expr) -> bool:
    if isinstance(function, ast.Call):
        return isinstance(function.func, ast.Name) and function.func.id.startswith("WhyNoFuse")
    return isinstance(function, ast.Name) and function.id == "why"


def test_each_reason_of_this_pytorch_has_a_sentence() -> None:
    reasons = list(_reasons())
    assert len(reasons) > 40
    assert [reason for reason in reasons if not is_known(reason)] == []


def test_advice_is_in_sentences() -> None:
    unseen = [item for table in UNSEEN.values() for item in table.values()]
    told = [*unseen, *(of_reason(reason) for reason in _reasons())]
    assert all(item.why.endswith(".") for item in told)
    assert all(not item.change or item.change.endswith((".", ")", "True`.")) for item in told)

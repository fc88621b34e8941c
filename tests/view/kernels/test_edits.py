"""What is said of an edit, in words and in a terminal."""

import pytest
from msgspec import structs

from dynamo_lab.measure.statistics import rounds_needed
from dynamo_lab.model.benchmarks import Comparison, Machine, Verdict
from dynamo_lab.model.kernels import Diagnostic, Edit, EditTiming, Worst
from dynamo_lab.render.terminal import as_text
from dynamo_lab.render.terminal.kernels.edits import edited
from dynamo_lab.view.core.words import BUSY
from dynamo_lab.view.kernels.edits import TimingView, build

EDIT = Edit(
    kernel=2,
    name="cpp_fused_add_0",
    language="cpp",
    before="int a;\nint b;\nint c;\nint d;\nint e;\nint f;",
    after="int a;\nint b;\nint c;\nint x;\nint e;\nint f;",
    verdict="right",
    calls=3,
)


def compared(value: str, verdict: Verdict, ulp: float = 0.0) -> Comparison:
    return Comparison(
        way=1, phase="forward", value=value, verdict=verdict, ulp=ulp, relative=ulp * 1e-7
    )


def test_a_faster_edit_has_its_times_and_how_close_it_is() -> None:
    rounds = tuple(1e-6 + 1e-9 * i for i in range(25))
    view = build(
        structs.replace(
            EDIT,
            comparisons=(compared("out_ptr0", "equal"), compared("output 0", "close", 12)),
            timings=(
                EditTiming(
                    what="kernel",
                    cache="warm",
                    original=tuple(2 * one for one in rounds),
                    edited=rounds,
                ),
                EditTiming(what="program", cache="warm", original=rounds, edited=rounds),
            ),
        )
    )
    assert view.sentence == "It is right."
    assert view.compared == (
        "Compared in 3 calls: 1 argument with the original's, equal bit for bit; "
        "1 result of the program with eager's, up to 12 ULP apart (1.2e-06 relative)."
    )
    alone, program = view.timings
    assert (alone.what, alone.original, alone.edited) == (
        "the kernel alone, warm caches",
        "2.02 µs",
        "1.01 µs",
    )
    assert (alone.ratio, alone.tone) == ("2.000 times faster (2.000 to 2.000)", "good")
    assert program.ratio.startswith("not distinguishable")
    assert program.tone == ""
    told = as_text(edited(view))
    assert "4 - int d;\n4 + int x;" in told
    assert "2.000 times faster" in told


def test_a_wrong_edit_says_where_and_has_no_time() -> None:
    worst = Worst(value="out_ptr0", index=(4, 7), expected="1.5", got="nan")
    view = build(structs.replace(EDIT, verdict="wrong", worst=worst))
    assert view.sentence == "It is wrong, so it is not timed."
    assert view.worst == "out_ptr0[4, 7] should be 1.5, but is nan."
    assert view.timings == ()


def test_messages_stand_at_their_lines_and_stay_text() -> None:
    said = (
        Diagnostic(severity="error", message="no \x1b[31m`x`", line=4, column=5),
        Diagnostic(severity="error", message="again", line=4),
        Diagnostic(severity="error", message="missing"),
        Diagnostic(severity="warning", message="far", line=99, column=3),
    )
    view = build(structs.replace(EDIT, verdict="not built", diagnostics=said))
    assert view.sentence == "It does not compile (line 4)."
    told = as_text(edited(view))
    assert "line 4: error: no \\x1b[31m`x`\n    int x;\n        ^" in told
    assert "\x1b" not in told


def test_an_edit_that_changes_nothing_says_so() -> None:
    view = build(structs.replace(EDIT, after=EDIT.before))
    assert view.sentence == "It is right. Its text equals the original's."
    assert "No line differs." in as_text(edited(view))


def test_what_is_only_checked_says_why() -> None:
    view = build(structs.replace(EDIT, reason="checked in Triton's interpreter, not timed"))
    assert view.sentence == "It is right: checked in Triton's interpreter, not timed."
    failed = build(structs.replace(EDIT, verdict="failed", reason="it crashed"))
    assert failed.sentence == "It fails: it crashed."


def test_an_edit_that_is_not_bit_for_bit_names_what_was_taken_for_rounding() -> None:
    far = structs.replace(compared("out_ptr0", "close", 1226), tolerance="1.3e-05 relative")
    view = build(structs.replace(EDIT, comparisons=(far, compared("output 0", "close", 9))))
    assert view.sentence == "It is right within a tolerance of 1.3e-05 relative."


def told(edit: Edit = EDIT, *, rounds: int = 25, busy: bool = False) -> TimingView:
    """What is said where each round with the edit took seven times as long."""
    timing = EditTiming(
        what="kernel",
        cache="warm",
        original=(1e-6,) * rounds,
        edited=(7e-6,) * rounds,
        is_busy=busy,
    )
    return build(structs.replace(edit, timings=(timing,))).timings[0]


def test_a_slower_edit_is_called_slower_on_an_idle_machine() -> None:
    assert told().ratio.startswith("7.000 times slower")
    assert told().tone == "bad"


def test_a_text_that_did_not_change_is_neither_slower_nor_faster() -> None:
    same = told(structs.replace(EDIT, after=EDIT.before))
    assert (same.ratio, same.tone) == ("the same text: what differs is noise", "")


@pytest.mark.parametrize("load", [0.0, 9.0])
def test_a_busy_machine_gives_no_verdict(load: float) -> None:
    edit = structs.replace(EDIT, machine=Machine(cores=4, load=load))
    found = told(edit, busy=not load)
    assert (found.ratio, found.tone) == ("not told apart: the machine was busy", "")
    timing = EditTiming(what="kernel", cache="warm", original=(1.0,), edited=(1.0,), is_busy=True)
    assert BUSY in build(structs.replace(edit, timings=(timing,))).sentence


def test_too_few_rounds_give_no_verdict() -> None:
    assert told(rounds=rounds_needed() - 1).ratio.startswith("too few rounds to tell")
    assert told(rounds=rounds_needed()).tone == "bad"


def test_what_is_very_far_apart_is_told_as_a_power_of_ten() -> None:
    far = structs.replace(EDIT, comparisons=(compared("out_ptr0", "wrong", 1.2345e41),))
    near = structs.replace(EDIT, comparisons=(compared("out_ptr0", "wrong", 124_171_470),))
    assert "up to 1.2e+41 ULP apart" in build(far).compared
    assert "up to 124,171,470 ULP apart" in build(near).compared

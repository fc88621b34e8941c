"""What is said of an edit, in words and in a terminal."""

from msgspec import structs

from dynamo_lab.model.benchmarks import Comparison, Verdict
from dynamo_lab.model.kernels import Diagnostic, Edit, EditTiming, Worst
from dynamo_lab.render.terminal import as_text
from dynamo_lab.render.terminal.kernels.edits import edited
from dynamo_lab.view.kernels.edits import build

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

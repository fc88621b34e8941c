"""Functions that resume after breaks on one line have names that tell them apart."""

from msgspec.structs import replace

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import frame_names
from tests.view.samples.table import code

TEXT = """\
def f(x):
    print("a"); print("b")
    if x.sum() > 0:
        x = x * 2
    return x"""


def resumed(id: int, line: int, target: int = 2) -> Frame:
    """A function that resumes `f`: it jumps to where that goes on."""
    bytecode = code(
        ("RESUME", "0", line), ("JUMP_FORWARD", str(target), line), ("POP_TOP", "", line)
    )
    return Frame(
        id=id,
        name="resumed",
        span=0,
        outcome="compiled",
        resumes=0,
        resumed_line=line,
        bytecode=bytecode,
    )


def broken(id: int, span: int, *frames: int) -> Break:
    return Break(
        id=id,
        frame=0,
        compile_id="0/0",
        span=span,
        effect="resumed",
        gb_type="",
        reason="",
        resume_frames=frames,
    )


def program() -> Recording:
    """`f` breaks at two calls on line 2; of the `if` on line 3, both ways were taken."""
    spans = (
        Span(0, 1, "f"),
        Span(0, 2, "f", 4, 2, 14),
        Span(0, 2, "f", 16, 2, 26),
        Span(0, 3, "f", 7, 3, 18),
    )
    taken = code(("RESUME", "0", 3), ("JUMP_FORWARD", "4", 3), ("LOAD_FAST", "0 (x)", 4))
    other = code(("RESUME", "0", 3), ("JUMP_FORWARD", "4", 3), ("LOAD_FAST", "0 (x)", 5))
    return Recording(
        title="f",
        sources=(Source("/home/me/f.py", "user", (Excerpt(1, TEXT),)),),
        spans=spans,
        frames=(
            Frame(id=0, name="f", span=0, outcome="compiled"),
            resumed(1, 2),
            resumed(2, 2),
            replace(resumed(3, 3), bytecode=taken),
            replace(resumed(4, 3), bytecode=other),
        ),
        breaks=(broken(0, 1, 1), broken(1, 2, 2), broken(2, 3, 3, 4)),
    )


def test_two_calls_on_a_line_are_told_by_what_broke() -> None:
    assert frame_names(program())[1:3] == (
        'f after line 2: print("a")',
        'f after line 2: print("b")',
    )


def test_both_ways_out_of_a_branch_are_told_by_where_they_go_on() -> None:
    assert frame_names(program())[3:] == (
        "f after line 3, from line 4",
        "f after line 3, from line 5",
    )


def test_one_after_a_line_needs_no_more() -> None:
    alone = replace(program(), frames=program().frames[:2], breaks=program().breaks[:1])
    assert frame_names(alone) == ("f", "f after line 2")


def test_where_no_column_and_no_bytecode_is_known_they_are_numbered() -> None:
    known = program()
    spans = tuple(Span(span.source, span.line, span.function) for span in known.spans)
    frames = tuple(replace(frame, bytecode=()) for frame in known.frames)
    assert frame_names(replace(known, spans=spans, frames=frames))[1:] == (
        "f after line 2 (1 of 2)",
        "f after line 2 (2 of 2)",
        "f after line 3 (1 of 2)",
        "f after line 3 (2 of 2)",
    )

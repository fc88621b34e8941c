"""How to read a view where nothing moves: in a terminal, in script-free HTML, in Markdown.

Only what `help.py` says of pointing, colours and drawings is said differently.
"""

from textwrap import dedent

from msgspec.structs import replace

from dynamo_lab.view.help.help import Reading, reading_of

_STILL: dict[str, tuple[str, str]] = {
    "code": (
        "Your lines, each with the number of the graph that captured it, and a mark at each break.",
        """\
        Lines with one number are in one graph. Lines without one ran in plain Python, or have no
        operation. A row of marks below a line shows the columns that caused a break.

            1  y = torch.relu(x) + 1    graph 1
            2  if y.sum() > 0:          graph 1, and break 1
            3      y = y * 2            graph 2: compiled, but separately
        """,
    ),
    "steps": ("Dynamo reads your function one bytecode instruction at a time.", ""),
    "passes": (
        "",
        """\
        Most passes find nothing to do, and are not listed. In a diff, `-` is a node that was
        removed and `+` one that was added.

            - mm = aten.mm(x, w)
            - add = aten.add(bias, mm)
            + addmm = aten.addmm(bias, x, w)    one library call instead of two
        """,
    ),
    "fusion": (
        "",
        """\
        An operation is a loop, or a library call. Operations of one group became one loop nest,
        and pass over memory once. `rec.why_not_fused("op0", "op1")` says of any two why they are
        not fused.

            op1 gelu, op2 sum    one group, over 64 x 256
            op3 gt               separate: it loops over another shape
        """,
    ),
    "memory": (
        "",
        """\
        A row is a buffer, with the calls during which it is live; inputs and parameters come on
        top. What is written in place adds nothing. Of a training step that `lab.tiny` planned a row
        is an operation or a value, weights and state among them.

            1-2  65.5 kB  buf0    returned
              2     64 B  buf3    written over buf2, in place
        """,
    ),
    "kernels": ("The generated code, with the lines of yours that it comes from.", ""),
    "ranks": (
        "",
        """\
        A mark is a collective that the rank called. It is open from the first rank that comes to
        the last. That is lost where the rank computes nothing meanwhile: what is not hidden. The
        row of collectives that are alike says on which line they are, and who asked for them.

            8  all_reduce  2.1 MB  open for 293 ms  not hidden 199 ms    most of it is lost
        """,
    ),
    "roofline": (
        "",
        """\
        Memory's limit is the rate of a copy of data that no cache holds, arithmetic's that of
        matrix products. The further a kernel is from its limit, the more there may be to gain.
        Near memory's, moving fewer bytes would help: fuse more, or use a smaller type. Near
        arithmetic's, less arithmetic would. What was timed with its data in warm caches is not
        held against memory.

            210 us  limit 62.6 us  30 %  memory    at a copy's rate it would take 62.6 us
        """,
    ),
}


def still_reading_of(view: str) -> Reading | None:
    """How to read the view of this name where it is printed, None where it explains itself."""
    reading = reading_of(view)
    if reading is None or view not in _STILL:
        return reading
    sentence, paragraph = _STILL[view]
    return replace(
        reading,
        sentence=sentence or reading.sentence,
        paragraph=dedent(paragraph).strip() or reading.paragraph,
    )

from collections.abc import Callable

from msgspec.structs import replace

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Instruction
from dynamo_lab.model.recording import Failure, Recording
from dynamo_lab.view import View, build
from dynamo_lab.view.code.code import LineView, Mark
from dynamo_lab.view.core.places import source_labels

Make = Callable[[str], Recording]


def states(view: View, source: int = 0) -> list[tuple[int, str, int]]:
    """(number, state, region) of the lines that have a state."""
    return [(n.number, n.state, n.region) for n in view.sources[source].lines if n.state]


def test_each_line_has_the_region_of_the_graph_that_compiled_it(make: Make) -> None:
    view = build(make("branch_and_print"))
    assert states(view) == [
        (1, "compiled", 0),
        (2, "compiled", 0),
        (3, "compiled", 1),
        (4, "compiled", 1),
        (5, "compiled", 2),
    ]
    assert states(view, 1) == [(6, "compiled", 0)]


def test_lines_know_how_many_kernels_they_led_to(make: Make) -> None:
    view = build(make("branch_and_print"))
    assert [line.kernels for line in view.sources[0].lines] == [1, 1, 0, 0, 0]
    assert view.sources[1].lines[5] == LineView(
        6, "    return torch.nn.functional.gelu(x)", "compiled", 0, 1
    )


def test_breaks_are_marked_under_their_columns(make: Make) -> None:
    assert build(make("branch_and_print")).sources[0].marks[0] == Mark(
        kind="break",
        line=2,
        column=3,
        end_line=2,
        end_column=14,
        label="data-dependent branch",
        target="break:0",
    )


def test_the_last_compilation_gives_a_line_its_region(make: Make) -> None:
    assert states(build(make("recompiled"))) == [(2, "compiled", 1)]


def test_the_lines_of_a_skipped_frame_are_skipped(make: Make) -> None:
    assert states(build(make("skipped"))) == [(2, "skipped", -1)]


def test_the_line_on_which_a_frame_failed_is_failed_and_marked_once(make: Make) -> None:
    view = build(make("fullgraph_failed"))
    assert states(view) == [(3, "failed", -1)]
    assert [(m.kind, m.line) for m in view.sources[0].marks] == [("break", 3)]


def test_a_failure_that_is_no_break_is_marked(make: Make) -> None:
    view = build(replace(make("fullgraph_failed"), breaks=()))
    assert states(view) == [(3, "failed", -1)]
    assert [(m.kind, m.line, m.label, m.target) for m in view.sources[0].marks] == [
        ("failure", 3, "Unsupported: Failed to trace builtin operator", "")
    ]


def test_a_frame_that_failed_at_an_unknown_line_failed_whole(make: Make) -> None:
    view = build(replace(make("fullgraph_failed"), breaks=(), failure=None))
    assert states(view) == [(2, "failed", -1), (3, "failed", -1)]


def test_lines_that_no_graph_holds_ran_in_python(make: Make) -> None:
    recording = make("branch_and_print")
    first, second, _ = recording.frames
    no_graph = replace(second, attempts=(replace(second.attempts[0], graph=None),))
    view = build(
        replace(
            recording,
            graphs=recording.graphs[:1],
            frames=(first, no_graph),
            breaks=recording.breaks[:1],
            kernels=(),
            wrappers=(),
            links=(),
        )
    )
    assert states(view)[2:] == [(3, "eager", -1), (4, "eager", -1)]


def test_a_line_that_broke_ran_in_python_unless_a_graph_holds_part_of_it(make: Make) -> None:
    recording = make("branch_and_print")
    nodes = recording.graphs[1].nodes
    moved = replace(nodes, stack=tuple(4 if at == 5 else at for at in nodes.stack))
    graphs = list(recording.graphs)
    graphs[1] = replace(graphs[1], nodes=moved)
    view = build(replace(recording, graphs=tuple(graphs)))
    assert states(view)[2:] == [(3, "compiled", 1), (4, "eager", -1), (5, "compiled", 2)]


def test_the_graph_of_a_failed_attempt_compiled_no_line(make: Make) -> None:
    recording = make("recompiled")
    frame = recording.frames[0]
    failed = tuple(replace(attempt, outcome="failed") for attempt in frame.attempts)
    view = build(replace(recording, frames=(replace(frame, outcome="failed", attempts=failed),)))
    assert states(view) == [(2, "failed", -1)]


def test_the_readers_own_sources_come_first(make: Make) -> None:
    recording = make("branch_and_print")
    library = Source("torch/nn/functional.py", "library", (Excerpt(10, "x"),))
    sources = (library, *recording.sources[::-1])
    spans, failure = (Span(0, 10, "gelu"),), Failure(type="E", message="", traceback="", span=0)
    moved = replace(recording, sources=sources, spans=spans, stacks=(), graphs=(), links=())
    moved = replace(moved, failure=failure, frames=(), breaks=(), guards=(), kernels=())
    view = build(replace(moved, wrappers=()))
    assert [(s.id, s.kind) for s in view.sources] == [(2, "cell"), (1, "user"), (0, "library")]
    assert view.main_source == 0


def test_the_cell_that_ran_is_shown_first_if_nothing_broke(make: Make) -> None:
    recording = replace(make("branch_and_print"), title="model.py", breaks=())
    view = build(recording)
    assert view.sources[view.main_source].label == "model.py"
    assert build(replace(recording, title="cell 3")).main_source == 0


def test_the_source_at_fault_is_shown_before_the_one_that_ran(make: Make) -> None:
    view = build(replace(make("branch_and_print"), title="model.py"))
    assert view.sources[view.main_source].label == "cell 3"


def test_a_source_with_breaks_is_shown_before_one_with_more_nodes(make: Make) -> None:
    recording = make("branch_and_print")
    calm = build(replace(recording, title="", breaks=()))
    first, second = recording.breaks
    moved = (replace(first, span=1, stack=None), replace(second, span=1, stack=None))
    broken = build(replace(recording, title="", breaks=moved))
    assert calm.sources[calm.main_source].label == "cell 3"
    assert broken.sources[broken.main_source].label == "model.py"


def test_libraries_of_which_frames_were_only_skipped_are_left_out(make: Make) -> None:
    recording = make("branch_and_print")
    library = Source("/x/site-packages/zmq/sugar/socket.py", "library", (Excerpt(1, "a"),))
    skipped = replace(
        recording.frames[0],
        id=3,
        span=len(recording.spans),
        outcome="skipped",
        attempts=(),
        bytecode=(Instruction(0, "NOP", "", 1),),
    )
    more = replace(
        recording,
        sources=(*recording.sources, library),
        spans=(*recording.spans, Span(2, 1, "send")),
        frames=(*recording.frames, skipped),
    )
    view = build(more)
    assert [source.kind for source in view.sources] == ["cell", "user"]
    assert view.frames[3].entity == "line:2:1"
    broken = replace(more.breaks[0], span=len(more.spans) - 1, stack=None)
    view = build(replace(more, breaks=(broken, *more.breaks[1:])))
    assert [source.label for source in view.sources][2:] == ["zmq/sugar/socket.py"]


def test_labels_are_short_and_differ() -> None:
    sources = (
        Source("<ipython-input-3-abc>", "cell"),
        Source("cell 12", "cell"),
        Source("/home/me/a/model.py", "user"),
        Source("/home/me/b/model.py", "user"),
        Source("/x/lib/python3.11/site-packages/torch/nn/functional.py", "library"),
        Source("torch/nn/modules/linear.py", "library"),
    )
    assert source_labels(sources) == (
        "cell 3",
        "cell 12",
        "a/model.py",
        "b/model.py",
        "torch/nn/functional.py",
        "torch/nn/modules/linear.py",
    )
    assert source_labels((Source("a.py", "user"), Source("a.py", "user"))) == (
        "a.py (1)",
        "a.py (2)",
    )

"""The sentence, the counts and the environment that say what happened, against exact values."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.core.notes import STANCE, Note
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Failure, Recording
from dynamo_lab.view import build
from tests.view.samples.table import Table, graph

Make = Callable[[str], Recording]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "branch_and_print",
            "Dynamo captured 3 graphs from 3 frames; it broke twice, at line 2 (data-dependent "
            "branch) and line 4 (print call). Inductor wrote 2 kernels.",
        ),
        (
            "skipped",
            "Dynamo skipped `forward`: no tensor was seen among the values of this call (they are "
            "not searched deeply), so there was nothing to compile.",
        ),
        (
            "fullgraph_failed",
            "Dynamo could not capture `f` as one graph, as required: it broke at line 3 (print "
            "call).",
        ),
        (
            "recompiled",
            "Dynamo captured 2 graphs from 1 frame, without a break. Guards failed and it "
            "recompiled once.",
        ),
    ],
)
def test_the_sentence_says_what_happened(make: Make, name: str, sentence: str) -> None:
    assert build(make(name)).summary.sentence == sentence


def test_a_frame_that_was_compiled_to_no_graph_is_not_counted(make: Make) -> None:
    recording = make("branch_and_print")
    bare = replace(recording.frames[0], id=len(recording.frames), attempts=())
    recording = replace(recording, frames=(*recording.frames, bare))
    summary = build(recording).summary
    assert "captured 3 graphs from 3 of 4 frames" in summary.sentence
    assert (summary.counts[0].value, summary.counts[0].label) == ("4", "frames")


def test_the_sentence_of_nothing_and_of_something_unfinished() -> None:
    nothing = Recording(title="nothing")
    assert build(nothing).summary.sentence == (
        "Nothing was compiled: Dynamo saw no Python function during this run."
    )
    traced = Table()
    traced.output(traced.node("sin", "aten.sin.default", traced.input("x")))
    other = Recording(title="ahead", graphs=(graph(0, traced, "pre_grad"),))
    assert build(other).summary.sentence == (
        "Dynamo saw no Python function during this run: what was compiled came another way."
    )
    going_on = Recording(title="going on", state="recording")
    assert build(going_on).summary.sentence == "Compiling: no graph has been captured yet."


def test_counts_have_a_tone_and_a_tab(make: Make) -> None:
    counts = build(make("branch_and_print")).summary.counts
    assert [(c.value, c.label, c.tone, c.tab) for c in counts] == [
        ("3", "frames", "plain", "frames"),
        ("3", "graphs", "plain", "graphs"),
        ("2", "breaks", "warning", "breaks"),
        ("2", "kernels", "plain", "kernels"),
        ("1.5 s", "compiling", "plain", "timeline"),
    ]
    counts = build(make("recompiled")).summary.counts
    assert [(c.value, c.label, c.tone) for c in counts[2:4]] == [
        ("0", "breaks", "good"),
        ("1", "recompile", "warning"),
    ]


def test_the_call_that_hits_the_limit_is_no_recompilation(make: Make) -> None:
    recording = make("recompiled")
    limit = replace(recording, recompiles=(replace(recording.recompiles[0], limit_hit=True),))
    summary = build(limit).summary
    then = "calls that match no code run eagerly."
    assert f"hit the limit of recompilations: {then}" in summary.sentence
    assert [(c.value, c.tone) for c in summary.counts if c.label == "recompiles"] == [("0", "bad")]


def test_skipped_frames_of_libraries_are_counted_apart(make: Make) -> None:
    recording = make("branch_and_print")
    library = Source("torch/nn.py", "library", (Excerpt(1, "x"),))
    noise = Frame(id=3, name="n", span=len(recording.spans), outcome="skipped")
    summary = build(
        replace(
            recording,
            sources=(*recording.sources, library),
            spans=(*recording.spans, Span(2, 1, "n")),
            frames=(*recording.frames, noise),
        )
    ).summary
    assert (summary.counts[0].value, summary.library_frames) == ("3", 1)


def test_the_sentence_speaks_of_what_was_compiled(make: Make) -> None:
    recording = make("skipped")
    frame = replace(recording.frames[0], name="Net.forward")
    view = build(replace(recording, title="Net", frames=(frame,)))
    assert view.summary.sentence.startswith("Dynamo skipped `Net`: ")


@pytest.mark.parametrize(
    ("name", "offers"),
    [
        ("branch_and_print", ("lower", "bench")),
        ("recompiled", ("lower", "bench")),
        ("fullgraph_failed", ("bench",)),  # which captures what it can
        ("skipped", ()),
    ],
)
def test_nothing_is_offered_that_cannot_work(make: Make, name: str, offers: tuple[str]) -> None:
    assert build(make(name)).summary.offers == offers


def test_a_program_that_raises_by_itself_is_not_run_again(make: Make) -> None:
    recording = make("branch_and_print")
    path, line = recording.sources[0].path, recording.spans[0].line
    own = f'Traceback:\n  File "x.py", line 1, in g\n  File "{path}", line {line}, in f\nE: no'
    below = own.replace("E: no", '  File "/lib/torch/nn.py", line 9, in linear\nE: no')
    failure = Failure(type="ValueError", message="no", traceback=own, span=0)

    def offers(**changed: Any) -> tuple[str, ...]:
        return build(replace(recording, failure=replace(failure, **changed))).summary.offers

    assert offers() == ()
    assert offers(traceback=below) == ("lower", "bench")  # perhaps compiled code
    assert offers(caught=True) == ("lower", "bench")
    assert offers(type="KeyboardInterrupt") == ("lower", "bench")
    assert build(Recording(title="f", state="recording")).summary.offers == ()


def test_notes_and_environment(make: Make) -> None:
    view = build(make("branch_and_print"))
    assert view.notes[0].message == "2 of 3 graphs came from the cache."
    assert view.environment == (("Python", "3.11.9"), ("PyTorch", "2.13.0"), ("threads", "8"))


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("", ""),
        ("cpu", "Lowered for cpu: the code was not built or run."),
        (
            "cuda:sm_90",
            "Lowered for cuda:sm_90 (NVIDIA H100): the code was not built or run.",
        ),
        ("tpu:v9", "Lowered for tpu:v9: the code was not built or run."),
    ],
)
def test_what_it_was_lowered_for(make: Make, target: str, sentence: str) -> None:
    assert build(replace(make("skipped"), target=target)).summary.target == sentence


def test_kernels_of_libraries_are_counted_and_not_their_calls(make: Make) -> None:
    made = make("branch_and_print")
    called = tuple(replace(one, language="extern") for one in made.kernels)
    alone = build(replace(made, kernels=called)).summary.sentence
    said = "Inductor calls 2 library kernels (each counted once a graph) and wrote none of its own."
    assert said in alone
    mixed = build(replace(made, kernels=(made.kernels[0], called[1]))).summary.sentence
    assert "Inductor wrote 1 kernel and calls 1 library kernel." in mixed


def test_a_long_failure_is_told_in_brief_and_kept_whole(make: Make) -> None:
    recording = make("branch_and_print")
    failure = Failure(type="ValueError", message="bad " * 8_000, traceback="")
    summary = build(replace(recording, failure=failure)).summary
    assert len(summary.failure) < 400
    assert len(summary.sentence) < 800
    assert "bad …" in summary.sentence
    assert "more characters: rec.failure.message has them" in summary.failure_text
    short = replace(failure, message="bad")
    assert build(replace(recording, failure=short)).summary.failure_text == ""
    two = replace(failure, message="bad\nbecause of this")
    assert build(replace(recording, failure=two)).summary.failure_text == "bad\nbecause of this"


def test_where_nothing_was_compiled_the_stances_in_force_are_said() -> None:
    stance = Note(level="info", about=STANCE, message='The stance was "force_eager" for a time.')
    other = Note(level="info", about="logs", message="Something else.")
    said = build(Recording(title="run", notes=(other, stance))).summary.sentence
    assert said == (
        "Nothing was compiled: Dynamo saw no Python function during this run. "
        'The stance was "force_eager" for a time.'
    )

"""Frames, graphs, kernels, guards, timings and the summary, each against exact values."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame, Instruction
from dynamo_lab.model.graphs import NodeTable, Value
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import Timing
from dynamo_lab.view import build
from dynamo_lab.view.breaks.skips import explain_skip
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.values import value_text
from dynamo_lab.view.frames.frames import listing
from dynamo_lab.view.graphs.graphs import ModuleView, module_path, module_tree

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
            "Dynamo skipped `forward`: nothing in this call is a tensor, so there is nothing to "
            "compile.",
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


def test_the_sentence_of_nothing_and_of_something_unfinished() -> None:
    nothing = Recording(title="nothing")
    assert build(nothing).summary.sentence == (
        "Nothing was compiled: Dynamo saw no Python function during this run."
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


def test_resumed_frames_are_named_after_what_they_continue(make: Make) -> None:
    frames = build(make("branch_and_print")).frames
    assert [(f.name, f.depth, f.graphs, f.breaks, f.guards) for f in frames] == [
        ("cell", 0, (0,), (0,), 3),
        ("cell after line 3", 1, (1,), (1,), 1),
        ("cell after line 4", 2, (2,), (), 0),
    ]
    assert frames[0].explanation == "Compiled up to line 2 (data-dependent branch), where it broke."
    assert frames[2].explanation == "Compiled completely, as one graph."
    assert [a.label for a in frames[0].attempts] == ["0/0", "0/0, analysis 2"]


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


@pytest.mark.parametrize(
    ("title", "name", "shown"),
    [
        ("GPT2Model", "merge_with_config_defaults.<locals>.wrapper", "GPT2Model"),
        ("recording", "decorate.<locals>.wrapper", "wrapper"),
        ("train.py", "decorate.<locals>.wrapper", "wrapper"),
        ("Net", "Net.forward", "Net.forward"),
        ("cell 3", "<module>", "cell"),
    ],
)
def test_a_wrapper_has_the_name_of_what_it_wraps(
    make: Make, title: str, name: str, shown: str
) -> None:
    recording = make("skipped")
    frame = replace(recording.frames[0], name=name)
    view = build(replace(recording, title=title, frames=(frame,)))
    assert view.frames[0].name == shown


def test_the_sentence_speaks_of_what_was_compiled(make: Make) -> None:
    recording = make("skipped")
    frame = replace(recording.frames[0], name="Net.forward")
    view = build(replace(recording, title="Net", frames=(frame,)))
    assert view.summary.sentence.startswith("Dynamo skipped `Net`: ")


def test_bytecode_reads_like_dis() -> None:
    code = (
        Instruction(0, "RESUME", "0", 3),
        Instruction(2, "LOAD_FAST", "0 (x)", 4),
        Instruction(4, "POP_TOP", "", 4, is_jump_target=True),
    )
    assert listing(code) == (
        "    3         0 RESUME                   0\n"
        "\n"
        "    4         2 LOAD_FAST                0 (x)\n"
        "      >>      4 POP_TOP"
    )


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("no tensor-related objects found in frame", "Nothing in this call is a tensor"),
        ("frame is in the Dynamo skipfiles list", "a library, which Dynamo never traces"),
        ("frame was generated by exec()", "created by `exec()`"),
        ("an error was suppressed during compilation", "`suppress_errors`"),
        ("no ops traced for the FX graph.", "no tensor operation"),
    ],
)
def test_skip_reasons_in_plain_words(reason: str, words: str) -> None:
    assert words in explain_skip(reason)


def test_a_skip_reason_without_plain_words_has_none() -> None:
    assert explain_skip("a reason of a later release") == ""


def test_graphs_keep_their_columns(make: Make) -> None:
    recording = make("branch_and_print")
    graph = build(recording).graphs[0]
    assert (graph.title, graph.subtitle) == ("graph 1", "captured from cell, 4 operators")
    assert graph.values == ("f32[8, 8]", "f32[]", "bool[]", "")
    assert graph.inputs is recording.graphs[0].nodes.inputs


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Value(dtype="torch.bfloat16", shape=("s0", "4"), device="cpu"), "bf16[s0, 4]"),
        (Value(dtype="f32", shape=("2",), device="cuda:0"), "f32[2] cuda:0"),
        (Value(text="Sym(s0)"), "Sym(s0)"),
        (Value(), ""),
    ],
)
def test_values_in_a_few_characters(value: Value, text: str) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ()),
        ("layers.0.attn", ("layers", "0", "attn")),
        ("L['self'].layers.0.attn", ("layers", "0", "attn")),
        ("L['self']._modules['layers']._modules['0']", ("layers", "0")),
        ("L['self'].layers[0]", ("layers", "0")),
        ("L['self']", ()),
        ("linear", ("linear",)),
    ],
)
def test_module_paths(text: str, path: tuple[str, ...]) -> None:
    assert module_path(text) == path


def test_modules_nest_and_the_rest_lies_in_the_root() -> None:
    table = NodeTable(
        strings=("", "a.b", "L['self'].a.c"),
        name=("x", "n", "m", "o"),
        op=(0,) * 4,
        module=(0, 1, 2, 1),
        module_types={"a": "Block", "L['self'].a.c": "Linear"},
    )
    assert module_tree(table) == (
        ModuleView(name="", path="", type="", nodes=(0,), children=(1,)),
        ModuleView(name="a", path="a", type="Block", nodes=(), children=(2, 3)),
        ModuleView(name="b", path="a.b", type="", nodes=(1, 3)),
        ModuleView(name="c", path="a.c", type="Linear", nodes=(2,)),
    )


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("aten.add.Tensor", "add"),
        ("torch.ops.aten.gelu.default", "gelu"),
        ("prims.convert_element_type.default", "convert_element_type"),
        ("mylib.attend.default", "attend"),
        ("torch.nn.functional.gelu", "gelu"),
        ("operator.add", "add"),
        ("softmax", "softmax"),
        ("<built-in function gelu>", "gelu"),
    ],
)
def test_operator_names(target: str, name: str) -> None:
    assert operator_name(target) == name


def test_kernels_are_titled_by_what_the_reader_wrote(make: Make) -> None:
    first, second = build(make("branch_and_print")).kernels.kernels
    assert (first.title, first.operators) == ("fused gelu + add", ("mul", "erf", "add"))
    assert first.where == "cell 3, line 1; model.py, line 6"
    assert (second.title, second.where) == ("fused sum + gt", "line 2")


def test_no_kernel_is_explained(make: Make) -> None:
    assert "no graph was captured" in build(make("skipped")).kernels.empty
    assert "this backend generates no code" in build(make("recompiled")).kernels.empty
    assert build(make("branch_and_print")).kernels.empty == ""


def test_guards_are_grouped_by_the_value_they_check(make: Make) -> None:
    guards = build(make("branch_and_print")).guards.guards
    assert [(g.frame, g.source, g.kind, g.where) for g in guards] == [
        (0, "L['x']", "TENSOR_MATCH", "line 1"),
        (0, "L['x']", "NO_TENSOR_ALIASING", ""),
        (0, "", "GRAD_MODE", ""),
        (1, "L['y']", "TENSOR_MATCH", "line 3"),
    ]


def test_a_recompilation_says_what_to_do(make: Make) -> None:
    recording = make("recompiled")
    item = build(recording).guards.recompiles[0]
    assert item.title == "f was compiled again"
    assert "dynamic=True" in item.advice
    limit = replace(recording.recompiles[0], limit_hit=True)
    item = build(replace(recording, recompiles=(limit,))).guards.recompiles[0]
    assert item.title == "f was compiled too often and now runs eagerly"
    assert "recompile_limit" in item.advice


@pytest.mark.parametrize(
    ("guards", "words"),
    [
        (("tensor 'x' size mismatch at index 0", "L['n'] == 3"), ["constants", "A size changed"]),
        (("L['s'].seen == 1  # if x.shape:  # a.py:3 in f", "L['s'].seen == 0"), ["constants"]),
        (("tensor 'x' dtype mismatch", "___stack1 == 93.55"), [".item()", "dtype"]),
        (("of no kind",), []),
    ],
)
def test_each_kind_of_failure_has_its_advice(
    make: Make, guards: tuple[str, ...], words: list[str]
) -> None:
    recording = make("recompiled")
    failures = tuple((f"0/{number}", guard) for number, guard in enumerate(guards, 9))
    again = replace(recording.recompiles[0], failures=failures)
    advice = build(replace(recording, recompiles=(again,))).guards.recompiles[0].advice
    places = [advice.index(word) for word in words]
    assert places == sorted(places)
    assert bool(advice) == bool(words)


def test_guards_that_hardly_ever_fail_are_one_and_come_last(make: Make) -> None:
    recording = make("branch_and_print")
    idle = [f"hasattr(L['x'], '_dynamo_{kind}_indices') == False" for kind in ("dynamic", "static")]
    guard = replace(recording.guards[0], expressions=(*idle, "check_tensor(L['x'])"))
    view = build(replace(recording, guards=(guard,)))
    assert view.guards.guards[0].expressions == (
        "check_tensor(L['x'])",
        "hasattr(L['x'], '_dynamo_…_indices') == False",
    )


def test_phases_nest_and_totals_count_each_second_once(make: Make) -> None:
    timeline = build(make("branch_and_print")).timeline
    assert [(p.name, p.depth) for p in timeline.phases] == [
        ("_compile.compile_inner", 0),
        ("bytecode_tracing", 1),
        ("backend_compile", 1),
        ("_compile.compile_inner", 0),
    ]
    assert timeline.seconds == 1.5
    assert timeline.totals == (
        ("_compile.compile_inner", 0.75, 0.5),
        ("backend_compile", 0.5, pytest.approx(1 / 3)),
        ("bytecode_tracing", pytest.approx(0.25), pytest.approx(1 / 6)),
    )


def test_what_other_threads_do_meanwhile_is_told_apart() -> None:
    timings = (
        Timing("wait", 0.0, 1.0),
        Timing("g++", 0.0, 1.0, 0, thread=7),
        Timing("link", 0.5, 0.25, 1, thread=7),
        Timing("g++", 0.5, 1.0, thread=8),
        Timing("backward", 2.0, 1.0, thread=9),
    )
    timeline = build(Recording(title="t", timings=timings)).timeline
    assert timeline.totals == (
        ("wait", 1.0, pytest.approx(0.4)),
        ("backward", 1.0, pytest.approx(0.4)),
    )
    assert timeline.parallel == (("g++", 1.75), ("link", 0.25))


def test_shares_never_sum_to_more_than_all() -> None:
    processes = tuple(Timing("compile_file", 0.1 * i, 1.0, 0) for i in range(5))
    timings = (Timing("async_compile.wait", 0.0, 2.0), *processes)
    totals = build(Recording(title="t", timings=timings)).timeline.totals
    assert sum(share for *_, share in totals) == pytest.approx(1)


def test_a_cycle_of_parents_ends() -> None:
    timings = (Timing("a", 0.0, 1.0, 1), Timing("b", 0.0, 1.0, 0))
    assert len(build(Recording(title="t", timings=timings)).timeline.phases) == 2


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


def test_a_remark_on_a_node_stands_at_its_kernel(make: Make) -> None:
    recording = make("branch_and_print")
    kernel = recording.kernels[0]
    here = Note(level="info", about="a", message="here", graph=kernel.graph, node=kernel.nodes[0])
    elsewhere = Note(level="info", about="b", message="elsewhere", graph=kernel.graph)
    noted = replace(recording, notes=(here, elsewhere))
    found = [one.notes for one in build(noted).kernels.kernels]
    assert found[0] == ("here",)
    assert not any(found[1:])

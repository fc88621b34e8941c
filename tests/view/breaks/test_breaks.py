import ast
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.breaks.advice import RULES, Rule, advice_for, rule_of
from dynamo_lab.view.breaks.breaks import StackLine
from dynamo_lab.view.breaks.explanations import tidy

Make = Callable[[str], Recording]


def test_a_break_tells_where_why_and_what_to_do(make: Make) -> None:
    first, second = build(make("branch_and_print")).breaks
    assert (first.title, first.where, first.effect) == (
        "data-dependent branch",
        "line 2",
        "resumed",
    )
    assert first.text[first.column : first.end_column] == "y.sum() > 0"
    assert "torch.where" in first.advice[0]
    assert len(first.advice) == 3  # PyTorch's hints say nothing new, or nothing to do
    assert first.stack == (
        StackLine(
            label="cell 3, line 2", function="cell", text="if y.sum() > 0:", entity="line:0:2"
        ),
    )
    assert (first.before, first.after) == (0, (1,))
    assert (second.title, second.frame) == ("print call", "cell after line 3")
    assert (second.before, second.after) == (1, (2,))


def test_a_break_in_several_compilations_is_one_place(make: Make) -> None:
    recording = make("branch_and_print")
    often = replace(recording.breaks[0], times=6)
    view = build(replace(recording, breaks=(often, *recording.breaks[1:])))
    assert [item.times for item in view.breaks] == [6, 1]
    assert [(c.value, c.label) for c in view.summary.counts][2] == ("2", "breaks")


def test_a_span_over_several_lines_ends_with_its_first(make: Make) -> None:
    recording = make("branch_and_print")
    spans = list(recording.spans)
    spans[4] = replace(spans[4], end_line=4, end_column=2)
    item = build(replace(recording, spans=tuple(spans))).breaks[0]
    assert item.text[item.column : item.end_column] == "y.sum() > 0:"


@pytest.mark.parametrize("link", ["javascript:alert(1)", "http://a.b", " https://a.b", "data:,x"])
def test_a_link_of_another_scheme_is_none(make: Make, link: str) -> None:
    recording = make("branch_and_print")
    assert build(recording).breaks[0].link.startswith("https://meta-pytorch.github.io/")
    breaks = tuple(replace(item, link=link) for item in recording.breaks)
    assert build(replace(recording, breaks=breaks)).breaks[0].link == ""


def test_unknown_columns_stay_unknown(make: Make) -> None:
    recording = make("branch_and_print")
    spans = list(recording.spans)
    spans[4] = replace(spans[4], column=-1, end_column=-1)
    item = build(replace(recording, spans=tuple(spans))).breaks[0]
    assert (item.column, item.end_column) == (-1, -1)


@pytest.mark.parametrize(
    ("gb_type", "context", "title"),
    [
        ("Data-dependent branching", "", "data-dependent branch"),
        ("Data-dependent branching with non-constant __bool__", "", "data-dependent branch"),
        ("Failed to trace builtin operator", "builtin print ['str'] False", "print call"),
        ("Failed to trace builtin operator", "builtin bin [] False", "built-in function"),
        ("logging.Logger method not supported for non-export cases", "", "logging call"),
        (
            "Unsupported Tensor.item() call with capture_scalar_outputs=False",
            "",
            ".item() call",
        ),
        ("Dynamic shape operator", "aten.nonzero.default", "data-dependent shape"),
        ("Data dependent operator", "aten.equal", "tensors compared as a whole"),
        ("Data dependent operator", "aten._local_scalar_dense", "data-dependent value"),
        ("Call to `torch._dynamo.graph_break()`", "", "explicit graph_break()"),
        ("Skip calling `torch.compiler.disable()`d function", "", "disabled function"),
        ("Attempt to trace generator", "", "generator"),
        ("can't handle functions not implemented in python ", "", "C function"),
        ("Unsupported context manager", "", "context manager"),
        ("RuntimeError when making fake tensor call", "", "error in an operator"),
        ("Operator does not support running with fake tensors", "",
         "operator without a fake implementation"),
        ("graph break in loop", "", "break inside a loop"),
        ("Attempted to wrap RNN, GRU, or LSTM", "", "RNN, GRU or LSTM"),
        ("Placement with custom __getattr__ not supported", "",
         "placement with custom __getattr__ not supported"),
        ("Missing bytecode handler", "GET_AWAITABLE with args (...)", "coroutine"),
        ("missing tp_iter", "tp_iter_impl not implemented for tuple",
         "container that Dynamo cannot loop over"),
        ("missing tp_iter", "tp_iter_impl not implemented for generator", "iterator from outside"),
        ("LOAD_BUILD_CLASS bytecode not supported", "", "LOAD_BUILD_CLASS bytecode not supported"),
        ("", "", "graph break"),
    ],
)  # fmt: skip
def test_titles_are_plain_words(gb_type: str, context: str, title: str) -> None:
    item = Break(
        id=0, frame=0, compile_id="", span=0, effect="resumed", gb_type=gb_type, reason="",
        context=context,
    )  # fmt: skip
    assert rule_of(item).title == title


@pytest.mark.parametrize(
    ("hints", "advice"),
    [
        (("Please report an issue to PyTorch.", "Set\n  x = 1."), ("Set x = 1.",)),
        (
            ("This graph break is fundamental - it is unlikely.", "Move it."),
            ("Move it.",),
        ),
        (
            ("Please report an issue to PyTorch.",),
            ("Please report an issue to PyTorch.",),
        ),
    ],
)
def test_hints_that_leave_nothing_to_do_stand_alone_or_not_at_all(
    hints: tuple[str, ...], advice: tuple[str, ...]
) -> None:
    item = Break(
        id=0, frame=0, compile_id="", span=0, effect="resumed", gb_type="of no rule", reason="",
        hints=hints,
    )  # fmt: skip
    assert advice_for(item) == advice


def test_a_hint_that_names_what_ours_names_is_left_out() -> None:
    item = Break(
        id=0, frame=0, compile_id="", span=0, effect="resumed",
        gb_type="Failed to trace builtin operator", reason="", context="builtin print",
        hints=("Try `torch._dynamo.config.reorderable_logging_functions`.",),
    )  # fmt: skip
    assert len(advice_for(item)) == 2


def _break(gb_type: str, context: str = "", reason: str = "", **more: Any) -> Break:
    facts: dict[str, Any] = {"effect": "resumed", **more}
    return Break(
        id=0, frame=0, compile_id="", span=0, gb_type=gb_type, reason=reason, context=context,
        **facts,
    )  # fmt: skip


@pytest.mark.parametrize("verb", ["inline", "call"])
def test_a_function_that_is_skipped_on_purpose_is_no_c_function(verb: str) -> None:
    gb_type = f"Attempted to {verb} function marked as skipped"
    (advice,) = advice_for(_break(gb_type, "module: re, qualname: compile, skip reason: x"))
    assert "on purpose" in advice
    first, second = advice_for(_break(gb_type, "qualname: Optimizer.zero_grad, name: zero_grad"))
    assert "forward and the loss" in first
    assert "torch.compile(opt.step)" in second
    reason = "Dynamo does not know how to trace the builtin `my_ext.f.`"
    assert "C code" in advice_for(_break(gb_type, "module: my_ext, qualname: f", reason))[0]


def test_a_break_in_a_loop_is_answered_with_the_loop_first() -> None:
    reason = "torch.compile detected a graph break in a for/while loop. Skipping the frame"
    item = _break("Unsupported Tensor.item() call", "", reason, effect="skipped")
    assert [text[:20] for text in advice_for(item)[:2]] == [
        "Move the loop's body",
        "Keep the value a ten",
    ]
    assert sum("loop's body into" in s for s in advice_for(_break("graph break in loop"))) == 1
    again = _break("graph break in loop", "", reason, effect="skipped")
    assert sum("loop's body into" in s for s in advice_for(again)) == 1


def test_a_library_breaks_on_purpose() -> None:
    hints = ("Remove the `torch._dynamo.graph_break()` call.",)
    item = _break("Call to `torch._dynamo.graph_break()`", hints=hints)
    assert "Remove the call" in advice_for(item)[0]
    (advice,) = advice_for(item, is_library=True)
    assert "nothing to change" in advice


@pytest.mark.parametrize(
    ("path", "is_below", "title"),
    [
        ("torch/distributed/fsdp/_fully_shard/_fsdp_common.py", True, "FSDP's own hook"),
        ("torch/nn/parallel/distributed.py", True, "DDP's own preparation"),
        ("torch/nn/modules/module.py", True, "data-dependent branch"),
        ("torch/distributed/fsdp/_fully_shard/_fsdp_common.py", False, "data-dependent branch"),
    ],
)
def test_breaks_of_ddp_and_fsdp_are_told_from_the_readers(
    make: Make, path: str, is_below: bool, title: str
) -> None:
    recording = make("branch_and_print")
    readers = recording.breaks[0].span
    library = Source(path, "library", (Excerpt(1, "a"),))
    theirs = len(recording.spans)
    stack = (readers, theirs) if is_below else (theirs, readers)
    item = replace(recording.breaks[0], stack=len(recording.stacks))
    view = build(
        replace(
            recording,
            sources=(*recording.sources, library),
            spans=(*recording.spans, Span(len(recording.sources), 1, "f")),
            stacks=(*recording.stacks, stack),
            breaks=(item, *recording.breaks[1:]),
        )
    )
    assert view.breaks[0].title == title
    assert ("Nothing of yours breaks here" in view.breaks[0].advice[0]) == ("own" in title)


def test_a_library_that_breaks_below_the_readers_line_breaks_on_purpose(make: Make) -> None:
    recording = make("branch_and_print")
    library = Source("/x/site-packages/torch/optim/optimizer.py", "library", (Excerpt(79, "a"),))
    first = recording.breaks[0]
    below = replace(
        first,
        gb_type="Call to `torch._dynamo.graph_break()`",
        hints=(),
        stack=len(recording.stacks),
    )
    moved = replace(
        recording,
        sources=(*recording.sources, library),
        spans=(*recording.spans, Span(2, 79, "maybe_fallback")),
        stacks=(*recording.stacks, (first.span, len(recording.spans))),
        breaks=(below, *recording.breaks[1:]),
    )
    (advice,) = build(moved).breaks[0].advice
    assert "nothing to change" in advice


def test_filing_an_issue_is_nothing_to_do() -> None:
    item = _break("of no rule", hints=("Please file an issue to PyTorch.", "Move it."))
    assert advice_for(item) == ("Move it.",)


EXPLANATION = """\
Detected a branch.

  The condition involves a tensor computed as follows:
    # File "/home/me/model.py", line 7, in forward, code: total = x.sum()
    sum_1 = x.sum()
    \n\
    # File "cell 3", line 2, in <module>, code: y.sum() > 0
    gt = sum_1 > 0
    """


def test_an_explanation_does_not_repeat_the_breaks_own_line() -> None:
    assert tidy(EXPLANATION, 2, "if y.sum() > 0:") == (
        "Detected a branch.\n\n"
        "The condition involves a tensor computed as follows:\n\n"
        "    # model.py:7  total = x.sum()\n"
        "    sum_1 = x.sum()\n"
        "    gt = sum_1 > 0"
    )


def test_places_are_named_where_they_are_not_in_the_readers_source(make: Make) -> None:
    recording = make("branch_and_print")
    first, second = recording.breaks
    library = Source("/x/site-packages/some/very/long/modeling.py", "library", (Excerpt(1, "a"),))
    spans = (*recording.spans, Span(2, 1, "forward"))
    moved = replace(
        recording,
        sources=(*recording.sources, library),
        spans=spans,
        breaks=(replace(first, span=1), replace(second, span=len(spans) - 1)),
    )
    view = build(moved)
    assert [item.where for item in view.breaks] == ["model.py, line 6", "modeling.py:1"]
    assert (
        "at model.py, line 6 (data-dependent branch) and modeling.py:1 (p" in view.summary.sentence
    )
    both = build(replace(moved, breaks=(replace(first, span=1), second)))
    assert "at model.py, line 6 (data-d" in both.summary.sentence
    assert "and cell 3, line 4 (print call)" in both.summary.sentence


def test_every_kind_of_the_registry_has_a_short_title() -> None:
    """PyTorch's own list, where it is installed: no kind may fail or turn into a paragraph."""
    import importlib.util
    import json
    from pathlib import Path

    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        pytest.skip("no PyTorch here")
    registry = Path(found.origin).parent / "_dynamo" / "graph_break_registry.json"
    for entries in json.loads(registry.read_text()).values():
        item = Break(
            id=0, frame=0, compile_id="", span=0, effect="resumed", reason="",
            gb_type=entries[0]["Gb_type"],
        )  # fmt: skip
        assert 0 < len(rule_of(item).title) < 110


def test_a_break_has_the_example_of_its_kind(make: Make) -> None:
    branch, printed = build(make("branch_and_print")).breaks
    assert branch.example is not None
    assert "if x.sum() > 0:" in branch.example.before
    assert "torch.where" in branch.example.after
    assert printed.example is not None
    unknown = replace(make("branch_and_print").breaks[0], gb_type="Something new")
    assert rule_of(unknown).example is None


@pytest.mark.parametrize("rule", [r for r in RULES if r.example], ids=lambda rule: rule.title)
def test_an_example_stands_beside_a_title_and_advice(rule: Rule) -> None:
    assert rule.title
    assert rule.advice
    assert rule.example is not None
    for source in (rule.example.before, rule.example.after):
        assert "f" in names_bound_by(source)
        assert max(map(len, source.splitlines())) <= 76  # two fit side by side
    assert rule.example.before != rule.example.after


def names_bound_by(source: str) -> set[str]:
    body = ast.parse(source).body
    defined = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    assigned = {
        target.id
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return defined | assigned

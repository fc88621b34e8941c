from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.advice import rule_of
from dynamo_lab.view.breaks import StackLine

Make = Callable[[str], Recording]


def test_a_break_tells_where_why_and_what_to_do(make: Make) -> None:
    first, second = build(make("branch_and_print")).breaks
    assert (first.title, first.where, first.effect) == (
        "data-dependent branch",
        "cell 3, line 2",
        "resumed",
    )
    assert first.text[first.column : first.end_column] == "y.sum() > 0"
    assert "torch.where" in first.advice[0]
    assert first.advice[3:] == (
        "Consider finding a workaround.",
    )  # the other hint says nothing new
    assert first.stack == (
        StackLine(
            label="cell 3, line 2", function="<cell>", text="if y.sum() > 0:", entity="line:0:2"
        ),
    )
    assert (first.before, first.after) == (0, (1,))
    assert (second.title, second.frame) == ("print call", "<cell> after line 3")
    assert (second.before, second.after) == (1, (2,))


def test_a_span_over_several_lines_ends_with_its_first(make: Make) -> None:
    recording = make("branch_and_print")
    spans = list(recording.spans)
    spans[4] = replace(spans[4], end_line=4, end_column=2)
    item = build(replace(recording, spans=tuple(spans))).breaks[0]
    assert item.text[item.column : item.end_column] == "y.sum() > 0:"


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
        ("Failed to trace builtin operator", "builtin bin [] False", "builtin function"),
        ("logging.Logger method not supported for non-export cases", "", "logging call"),
        (
            "Unsupported Tensor.item() call with capture_scalar_outputs=False",
            "",
            ".item() call",
        ),
        ("Dynamic shape operator", "aten.nonzero.default", "data-dependent shape"),
        ("Data dependent operator", "aten.equal", "data-dependent value"),
        ("Call to `torch._dynamo.graph_break()`", "", "explicit graph_break()"),
        ("Skip calling `torch.compiler.disable()`d function", "", "disabled function"),
        ("Attempt to trace generator", "", "generator"),
        ("can't handle functions not implemented in python ", "", "C function"),
        ("Unsupported context manager", "", "context manager"),
        ("graph break in loop", "", "break inside a loop"),
        ("Attempted to wrap RNN, GRU, or LSTM", "", "RNN, GRU or LSTM"),
        ("Placement with custom __getattr__ not supported", "",
         "placement with custom __getattr__ not supported"),
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

"""Generated code beside code that was written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from dynamo_lab.model.benchmarks import Way
from dynamo_lab.render.terminal import as_text
from dynamo_lab.render.terminal.benchmarks.by_hand import by_hand
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.recording import Recording


def shown(recording: Recording, width: int) -> str:
    """With a way by hand, in text that must stay text, and one that did not run."""
    benchmark = recording.benchmark
    assert benchmark is not None
    ways = list(benchmark.ways)
    ways[1] = replace(ways[1], name="C++ [b]", code="int by_hand;\x1b[31m", language="cpp")
    ways.append(Way(name="Metal", kind="baseline", code="not_run", language="metal"))
    view = build(replace(recording, benchmark=replace(benchmark, ways=tuple(ways))))
    return as_text(by_hand(view, width), width=width, color=False)


def test_they_stand_side_by_side_where_there_is_room(make: Callable[..., Recording]) -> None:
    text = shown(make("measured"), 160)
    (head,) = (line for line in text.splitlines() if "by hand, C++ [b]" in line)
    assert head.startswith("generated: ")
    assert "not_run" not in text
    assert "\x1b[31m" not in text


def test_else_one_stands_below_the_other(make: Callable[..., Recording]) -> None:
    text = shown(make("measured"), 80)
    assert (
        0 <= text.index("generated: ") < text.index("by hand, C++ [b]") < text.index("int by_hand")
    )

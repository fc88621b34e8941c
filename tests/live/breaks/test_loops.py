"""Loops that came back to a break, told from what only looks like one."""

from typing import Any

import torch

import dynamo_lab as lab
from dynamo_lab.view import build
from dynamo_lab.view.frames.run_map import MapRow


def explored(fn: Any) -> list[MapRow]:
    recording = lab.explore(fn, torch.ones(8), backend="eager")
    return [row for row in build(recording).run_map if row.entity]


def doubled(x: torch.Tensor) -> torch.Tensor:
    while x.sum() < 50:
        x = x * 2
    return x


def grown(x: torch.Tensor) -> torch.Tensor:
    for _ in range(5):
        x = x * 2
        if x.sum() > 50:
            return x
    return x


def chained(x: torch.Tensor) -> torch.Tensor:
    return tell(tell(x) + 1) * 2


def tell(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.graph_break()
    return x + 1


def both_ways(x: torch.Tensor) -> torch.Tensor:
    x = x.sin() if x.sum() > 0 else x.cos()
    print("there")
    return x + 1


def test_a_loop_that_came_back_and_returned_is_on_the_map() -> None:
    rows = explored(doubled)
    loop = doubled.__code__.co_firstlineno + 1
    breaks = [row.text for row in rows if row.kind == "break"]
    assert breaks == [
        "data-dependent branch",
        "data-dependent branch, the loop came back to break 1",
    ]
    assert rows[-1].text == "returned: nothing was left to compile"
    assert rows[-1].lines == f"line {loop + 2}"


def test_a_branch_that_resumed_code_came_to_again_is_the_same_if_its_line_has_no_other() -> None:
    rows = explored(grown)
    breaks = [row.text for row in rows if row.kind == "break"]
    assert breaks[0] == "data-dependent branch"
    assert breaks[1:] == [
        f"data-dependent branch, the loop came back to break {before}"
        for before in range(1, len(breaks))
    ]
    assert len(breaks) > 1


def test_a_function_that_is_called_twice_is_no_loop() -> None:
    rows = explored(chained)
    assert sum(row.kind == "break" for row in rows) > 1
    assert not any("loop" in row.text for row in rows)


def test_what_both_ways_of_a_branch_come_to_is_no_loop() -> None:
    with lab.record() as recorder:
        compiled = torch.compile(both_ways, backend="eager")
        for sign in (1, -1):
            compiled(torch.ones(8) * sign)
    found = build(recorder.recording)
    assert sum(item.title == "print call" for item in found.breaks) == 2
    assert not any("loop" in row.text for row in found.run_map)
    first, second = (one for one in recorder.recording.breaks if "print" in one.context)
    assert second.joins == first.resume_frames != ()
    assert second.resume_frames == ()
    told = {one.id: one for one in found.stories}
    assert told[second.id].then.endswith("which resumes after another break too.")
    assert told[second.id].after == told[first.id].after
    texts = {row.entity: row.text for row in found.run_map if row.kind == "break"}
    going_on = found.frames[first.resume_frames[0]].name
    assert texts[f"break:{second.id}"] == f"print call, goes on in {going_on}"
    assert texts[f"break:{first.id}"] == "print call"

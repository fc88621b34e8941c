"""Guards by the value that they check, and what to do about recompilations."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.guards.guards import Guard
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build

Make = Callable[[str], Recording]


def test_guards_are_grouped_by_the_value_they_check(make: Make) -> None:
    guards = build(make("branch_and_print")).guards.guards
    assert [(g.frame, g.source, g.kind, g.where) for g in guards] == [
        (0, "L['x']", "TENSOR_MATCH", "line 1"),
        (0, "L['x']", "NO_TENSOR_ALIASING", ""),
        (1, "L['y']", "TENSOR_MATCH", "line 3"),
        (0, "", "GRAD_MODE", ""),
    ]


def test_a_recompilation_says_what_to_do(make: Make) -> None:
    recording = make("recompiled")
    item = build(recording).guards.recompiles[0]
    assert item.title == "f was compiled again"
    assert "dynamic=True" in item.advice
    limit = replace(recording.recompiles[0], limit_hit=True)
    item = build(replace(recording, recompiles=(limit,))).guards.recompiles[0]
    assert item.title == "f was compiled too often: calls that match no code run eagerly"
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


_CHECK = (
    "check_tensor(L['x'], Tensor, DispatchKeySet(CUDA, BackendSelect), torch.float32, "
    "device=0, requires_grad=False, size=[None, 3], stride=[3, 1])"
)


def test_what_is_demanded_of_a_tensor_is_told(make: Make) -> None:
    recording = make("branch_and_print")
    guard = replace(recording.guards[0], expressions=(_CHECK,))
    view = build(replace(recording, guards=(guard,)))
    assert view.guards.guards[0].text == ("x: float32 [any, 3], contiguous, CUDA:0, no grad")


@pytest.mark.parametrize(
    ("size", "stride", "layout"),
    [
        ("[8, 8]", "[8, 1]", "contiguous"),
        ("[1, 8]", "[3, 1]", "contiguous"),
        ("[]", "[]", "contiguous"),
        ("[8, 8]", "[1, 8]", "stride [1, 8]"),
        ("[2, None]", "[None, 1]", "stride [any, 1]"),
        ("[2, None, 4]", "[8, 4, 1]", "stride [8, 4, 1]"),
    ],
)
def test_a_layout_is_contiguous_only_where_all_of_it_is_checked(
    make: Make, size: str, stride: str, layout: str
) -> None:
    recording = make("branch_and_print")
    check = _CHECK.replace("[None, 3]", size).replace("[3, 1]", stride)
    guard = replace(recording.guards[0], expressions=(check.replace("=False", "=True"),))
    shown = size.replace("None", "any")
    told = build(replace(recording, guards=(guard,))).guards.guards[0].text
    assert told == f"x: float32 {shown}, {layout}, CUDA:0, grad"


def test_guards_on_the_state_come_last_and_once(make: Make) -> None:
    recording = make("branch_and_print")
    state = Guard(
        frame=0,
        compile_id="0/0",
        kind="GLOBAL_STATE",
        source="",
        expressions=('___check_global_state() against {"grad_mode":true,"num_threads":1}',),
    )
    again = replace(state, frame=1, compile_id="1/0")
    view = build(replace(recording, guards=(state, *recording.guards, again))).guards.guards
    assert [guard.is_state for guard in view] == [False, False, False, True]
    last = view[-1]
    assert (last.kind, last.compile_ids) == ("GLOBAL_STATE", ("0/0", "1/0"))
    assert last.text == "grad mode on, 1 thread"


def test_frames_count_guards_as_they_are_listed(make: Make) -> None:
    """Guards of the state that say the same are one."""
    recording = make("branch_and_print")
    [state] = [one for one in recording.guards if one.kind == "GRAD_MODE"]
    alike = replace(recording, guards=(*recording.guards, state, state))
    for one in (recording, alike):
        view = build(one)
        assert sum(frame.guards for frame in view.frames) == len(view.guards.guards)

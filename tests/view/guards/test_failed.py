"""Which guard it was that did not hold, and what that led to; unknown is an answer."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.guards.guards import FailedGuard, Guard
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.guards.failed import failed_guard
from dynamo_lab.view.guards.failing import cause
from dynamo_lab.view.guards.order import in_order

Make = Callable[[str], Recording]

SIZES = "L['x'].size()[0] == L['y'].size()[0]"


def guard(kind: str, source: str = "", *expressions: str, of: str = "0/0") -> Guard:
    return Guard(frame=0, compile_id=of, kind=kind, source=source, expressions=expressions)


GUARDS = in_order(
    (
        guard("TYPE_MATCH", "L['x']", "___check_type_id(L['x'], 7)"),
        guard("TENSOR_MATCH", "L['x']", "check_tensor(L['x'], Tensor, size=[8])"),
        guard("EQUALS_MATCH", "L['n']", "L['n'] == 3  # a.py:3 in f"),
        guard("EQUALS_MATCH", "L['n']", "L['n'] == 5", of="0/1"),
        guard("DICT_LENGTH", "L['d']", "len(L['d']) == 2"),
        guard("SHAPE_ENV", "", f"{SIZES}  # a.py:4 in f", "2 <= L['x'].size()[0]"),
        guard("GLOBAL_STATE", "", "___check_global_state()"),
    )
)


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("tensor 'L['x']' size mismatch at index 0. expected 8, actual 9", "L['x']", 1),
        ("expected type of 'L['x']' to be a tensor type, ' but found <class 'int'>", "L['x']", 1),
        ("L['n'] == 3", "L['n']", 2),
        (SIZES, "L['x'].size()[0]", 5),
        ("len(L['d']) != 2", "L['d']", 4),  # C++ says it in words of its own: the only one on it
        ("GLOBAL_STATE changed: grad_mode", "", 6),
        ("___check_type_id(L['x'], 8)", "L['x']", None),  # two are on this value
        ("KeyError on L['q']", "L['q']", None),
        ("", "", None),
    ],
)
def test_a_failed_guard_is_found_or_not_known(text: str, source: str, expected: int | None) -> None:
    failed = FailedGuard(compile_id="0/0", text=text, source=source)
    assert failed_guard(failed, GUARDS) == expected


@pytest.mark.parametrize(
    ("failed", "kind", "told"),
    [
        (
            ("2 <= L['x'].storage_offset()", "L['x'].storage_offset()", "0"),
            "offset",
            "`x.storage_offset()` is 0 now; this code is for 2 or more",
        ),
        (
            (
                "L['x'].stride()[0] == L['x'].size()[1]",
                "L['x'].stride()[0]",
                "L['x'].stride()[0] is 9, L['x'].size()[1] is 3",
            ),
            "stride",
            "`x.stride()[0] == x.shape[1]` no longer holds: x.stride()[0] is 9, x.shape[1] is 3",
        ),
        (
            ("'NoneType' object has no attribute 'size'", "", ""),
            "base",
            "a guard asked for what is None now, as what a view is of is where there is no view: "
            "'NoneType' object has no attribute 'size'",
        ),
    ],
)
def test_where_a_view_lies_is_told(failed: tuple[str, str, str], kind: str, told: str) -> None:
    text, source, now = failed
    found = cause(FailedGuard(compile_id="0/0", text=text, source=source, now=now))
    assert (found.kind, found.text) == (kind, told)


def test_it_is_one_of_the_compilation_that_it_ruled_out() -> None:
    failed = FailedGuard(compile_id="0/1", text="L['n'] == 5", source="L['n']")
    at = failed_guard(failed, GUARDS)
    assert at is not None
    assert GUARDS[at][0].compile_id == "0/1"
    assert failed_guard(replace(failed, compile_id="0/2"), GUARDS) is None


def test_the_guard_says_what_its_failure_led_to_and_the_recompilation_leads_to_it(
    make: Make,
) -> None:
    shown = build(make("sizes")).guards
    assert {one.kind: one.failed for one in shown.guards} == {
        "TENSOR_MATCH": "It did not hold, so 0/1 was compiled and a call ran eagerly.",
        "EQUALS_MATCH": "",
    }
    [size] = shown.recompiles[0].causes
    assert size.guard == "guard:0"
    number, again = shown.recompiles[1].causes
    assert (number.guard, again.guard) == ("", "guard:0")

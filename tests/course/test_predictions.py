"""Predictions are locked in before anything is shown; cheats that look at a check are refused."""

from __future__ import annotations

import ast
import contextlib
import re
from typing import TYPE_CHECKING, Any

import pytest
import torch

from dynamo_lab import course
from dynamo_lab.course import predictions
from dynamo_lab.course.asking import need, need_count
from dynamo_lab.course.comparing import (
    in_any_order,
    one_graph_for,
    same_calls,
    same_numbers,
    same_program,
)
from dynamo_lab.course.exercises import NotYet
from dynamo_lab.course.notebooks import solutions
from dynamo_lab.course.predictions import Prediction
from dynamo_lab.errors import CourseError
from tests.course.lessons import LESSONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@pytest.fixture(autouse=True)
def _nothing_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predictions, "_ANSWERS", {})


def seven(answer: Any) -> str:
    need(need_count(answer) == 7, "It is another number.")
    return "It is seven."


ASKED = Prediction("9.9", "a title", seven, ("first",), shows=lambda: "seven")


class TestPrediction:
    def test_a_right_one(self) -> None:
        assert repr(ASKED.judge(7)) == "Exercise 9.9 is right. You predicted 7. It is seven."

    def test_the_first_answer_stays_the_prediction(self) -> None:
        assert "Your prediction, 3, is locked in" in ASKED.judge(3).message
        assert "Your prediction was 3; this is answer 2." in ASKED.judge(4).message
        verdict = ASKED.judge(7)
        assert verdict
        assert verdict.message == "Your prediction was 3; this is answer 3. It is seven."

    def test_the_same_answer_again_is_none_more(self) -> None:
        for _ in range(3):
            ASKED.judge(3)
        assert "this is answer 2" in ASKED.judge(7).message

    @pytest.mark.parametrize("none", [..., None, "seven", 7.5])
    def test_what_is_no_answer_locks_nothing_in(self, none: Any) -> None:
        assert not ASKED.judge(none)
        assert "You predicted 7" in ASKED.judge(7).message

    def test_nothing_is_shown_before(self) -> None:
        asks = ASKED.reveal()
        assert not asks
        assert "Predict first" in repr(asks)
        ASKED.judge(3)
        assert ASKED.reveal() == "seven"

    def test_an_answer_after_the_reveal_is_said_to_be_one(self) -> None:
        ASKED.judge(3)
        ASKED.judge(4)
        ASKED.reveal()
        assert "given after the reveal" not in ASKED.judge(4).message
        assert "answer 3, given after the reveal" in ASKED.judge(7).message

    def test_only_a_prediction_is_revealed(self) -> None:
        with pytest.raises(CourseError, match="no prediction"):
            course.reveal("2.1")

    def test_no_verdict_on_a_wrong_one_has_the_answer(self) -> None:
        """However often one guesses, what is said of a wrong number is not the right one."""
        for wrong in (1, 1024, 425):
            said = course.check("7.2", wrong)
            assert not said
            assert "424" not in said.message
        assert course.check("7.2", 424)


def _said(text: str, value: Any) -> bool:
    """Whether a text has a number or a name, or all of a set."""
    if isinstance(value, set | list):
        return all(_said(text, one) for one in value)
    return bool(re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", text))


def _answers() -> Iterator[tuple[str, Any]]:
    """Each prediction whose solution is a value, and not the way to one."""
    for lesson in LESSONS:
        for number, solution in solutions(lesson).items():
            body = ast.parse(solution.code).body
            if len(body) == 1 and isinstance(body[0], ast.Assign):
                with contextlib.suppress(ValueError):
                    yield number, ast.literal_eval(body[0].value)


def test_no_hint_gives_a_prediction_away() -> None:
    exercises = {one.number: one for n in range(len(LESSONS)) for one in course.exercises(n)}
    asked = [(exercises[number], value) for number, value in _answers()]
    predicted = [(one, value) for one, value in asked if isinstance(one, Prediction)]
    assert len(predicted) >= 6
    told = [one.number for one, value in predicted if _said(" ".join(one.hints), value)]
    assert told == []


class TestCountingAnswers:
    """An answer that knows how often it was called, and computes what that call is examined for."""

    def test_a_graph_per_call_is_no_graph_for_all(self) -> None:
        calls: list[int] = []

        def choose(x: Any) -> Any:
            calls.append(1)  # a global's change: guarded, so it is compiled again
            return x * 2 if len(calls) % 2 else x - 1

        positive = torch.arange(4.0)
        with pytest.raises(NotYet):
            one_graph_for(choose, branch, (positive,), (-positive,))

    def test_compiled_once_it_must_be_right_for_all(self) -> None:
        def first_only(x: Any) -> Any:
            return x * 2 if torch.compiler.is_compiling() else branch(x)

        positive = torch.arange(1.0, 4.0)
        with pytest.raises(NotYet, match="Compiled, it computes something other"):
            one_graph_for(first_only, branch, (positive,), (-positive,))

    def test_the_program_that_is_examined_is_the_one_that_was_compared(self) -> None:
        x = torch.ones(4)
        compared = same_numbers(torch.sin, torch.sin, x)
        same_program(compared, same_numbers(torch.sin, torch.sin, x))
        with pytest.raises(NotYet, match="does it count its calls"):
            same_program(compared, same_numbers(torch.cos, torch.cos, x))

    def test_nobody_knows_which_case_comes_first(self) -> None:
        orders = {tuple(_order_of(range(5))) for _ in range(40)}
        assert len(orders) > 5
        assert in_any_order(lambda n: n * n, range(5)) == [0, 1, 4, 9, 16]

    def test_calls_are_made_in_any_order(self) -> None:
        seen: set[tuple[float, ...]] = set()
        for _ in range(20):
            order: list[float] = []
            same_calls(lambda x, o=order: o.append(float(x)) or x, lambda x: x, *_ones(4))
            seen.add(tuple(order))
        assert len(seen) > 3


def branch(x: Any) -> Any:
    return x * 2 if x.sum() > 0 else x - 1


def _ones(number: int) -> list[tuple[torch.Tensor]]:
    return [(torch.tensor(float(n)),) for n in range(number)]


def _order_of(cases: Sequence[int]) -> list[int]:
    order: list[int] = []
    in_any_order(order.append, cases)
    return order

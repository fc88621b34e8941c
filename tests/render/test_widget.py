"""The widget's answers, with a stand-in for the way to the browser and for the compiler."""

import gzip
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from dynamo_lab.errors import FixError
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.widget import Explorer, Tries
from dynamo_lab.view import build

Make = Callable[[str], Recording]


class Fake(Explorer):
    """Keeps what it would send."""

    def send(self, content: Any, buffers: Any = None) -> None:
        vars(self).setdefault("sent", []).append((content, buffers or []))


def asked(
    make: Make, tries: Tries | None, **message: Any
) -> list[tuple[dict[str, Any], list[bytes]]]:
    widget = Fake("uid")
    recording = make("branch_and_print")
    widget.show(recording, build(recording), tries)
    assert widget.can_try is (tries is not None)
    untyped: Any = widget
    untyped._handle_custom_msg({"type": "try_fix", "request": 5, **message}, [])
    return vars(widget).get("sent", [])


def test_a_trial_is_answered_with_its_outcome_and_view(make: Make) -> None:
    tried: list[tuple[int, str]] = []

    def tries(item: int, fix: str) -> tuple[dict[str, Any], Recording]:
        tried.append((item, fix))
        return {"fix": fix}, make("skipped")

    [(content, buffers)] = asked(make, tries, **{"break": 1, "fix": "torch.where"})
    assert tried == [(1, "torch.where")]
    assert content == {"type": "trial", "request": 5, "trial": {"fix": "torch.where"}}
    view = msgspec.json.decode(gzip.decompress(buffers[0]))
    assert view["summary"]["title"] == make("skipped").title


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (FixError("Nothing to try."), "Nothing to try."),
        (ValueError("<b>"), "The trial ended with ValueError: <b>"),
    ],
)
def test_an_error_is_a_sentence(make: Make, error: Exception, sentence: str) -> None:
    def tries(item: int, fix: str) -> tuple[dict[str, Any], Recording]:
        raise error

    [(content, buffers)] = asked(make, tries, **{"break": 0, "fix": "x"})
    assert content == {"type": "trial", "request": 5, "error": sentence}
    assert buffers == []


def test_without_a_program_the_widget_says_so(make: Make) -> None:
    [(content, _)] = asked(make, None, **{"break": 0, "fix": "x"})
    assert "run the cell again" in content["error"]


@pytest.mark.parametrize("message", [{}, {"break": "0", "fix": "x"}, {"break": 0, "fix": 3}])
def test_a_message_that_makes_no_sense_is_left_alone(make: Make, message: dict[str, Any]) -> None:
    assert asked(make, None, **message) == []

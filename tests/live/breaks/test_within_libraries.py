"""Breaks in the code of libraries: what can be done about them, and what cannot."""

import logging

import pytest
import torch
from torch._dynamo import config

import dynamo_lab as lab
from dynamo_lab.view import build

pytestmark = pytest.mark.live

LOG = logging.getLogger("tests.within_libraries")
LOG.addHandler(logging.NullHandler())
LOG.propagate = False  # pytest's own handlers would break too


def logs(x: torch.Tensor) -> torch.Tensor:
    LOG.warning("sum %s", x.sum())
    return x.log()


def test_what_logging_does_for_a_call_is_not_the_readers_to_mend() -> None:
    recording = lab.explore(logs, torch.ones(4), backend="eager")
    view = build(recording)
    own, *within = view.breaks
    assert "ignore_logging_functions" in own.fixes[0].code
    assert within, "Dynamo looks at the frames of logging, which runs in Python"
    calls = [item for item in within if item.title == "logging call"]
    assert calls
    for item in calls:
        assert item.fixes == (), "without what findCaller gives, logging fails"
        assert item.advice[0].startswith("Python's `logging` runs here")
    told = [one.sentence for one in recording.findings]
    assert sum("logging call" in one for one in told) == 1, "the reader's own"


def test_a_recurrent_module_alone_is_no_place_where_nothing_can_be_done() -> None:
    with config.patch(allow_rnn=False):
        view = build(lab.explore(torch.nn.LSTM(4, 5), torch.ones(6, 2, 4), backend="eager"))
    [item] = view.breaks
    assert [fix.name for fix in item.fixes] == ["allow_rnn"]
    assert not any("nothing to change" in text for text in item.advice)

"""A traceback without PyTorch's own lines."""

from __future__ import annotations

import traceback
from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.notebook.tracebacks import brief, briefly, is_long


def failed() -> BaseException:
    """An error of PyTorch's Python code, which another led to."""
    try:
        try:
            torch.nn.Linear(2, 2)(torch.ones(3, 3))
        except RuntimeError as error:
            raise ValueError("mine") from error
    except ValueError as error:
        return error
    raise AssertionError


def files(error: BaseException) -> list[str]:
    return [frame.filename for frame in traceback.extract_tb(error.__traceback__)]


def test_only_the_readers_lines_are_shown_and_the_error_is_as_it_was() -> None:
    error = failed()
    cause = error.__cause__
    assert cause is not None
    whole = error.__traceback__, cause.__traceback__
    assert any("torch" in name for name in files(cause))
    with briefly(error):
        assert files(error) == files(cause) == [__file__]
    assert (error.__traceback__, cause.__traceback__) == whole


def test_what_watches_pytorch_is_not_shown_either() -> None:
    def shaped(x: torch.Tensor) -> torch.Tensor:
        return x.view(7)

    untyped: Any = torch
    compiled = untyped.compile(shaped, backend="eager")
    with pytest.raises(Exception, match="shape") as raised, lab.record():
        compiled(torch.ones(3))
    assert any("patches" in name for name in files(raised.value))
    with briefly(raised.value):
        assert set(files(raised.value)) == {__file__}


def test_where_all_lines_are_pytorchs_the_last_one_stays() -> None:
    cause = failed().__cause__
    assert cause is not None
    assert cause.__traceback__ is not None
    inner = cause.__traceback__.tb_next
    left = brief(inner)
    assert left is not None
    assert left.tb_next is None
    assert "torch" in left.tb_frame.f_code.co_filename
    assert brief(None) is None


def test_an_error_of_the_program_alone_is_left_alone() -> None:
    assert is_long(failed())
    with pytest.raises(ZeroDivisionError) as raised:
        _ = 1 / 0
    assert not is_long(raised.value)

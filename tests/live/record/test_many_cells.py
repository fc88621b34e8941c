"""A notebook of many cells takes no more memory than one of twenty."""

from __future__ import annotations

import contextlib
import gc
import io
from typing import TYPE_CHECKING, Any

import pytest
import torch
from ipywidgets.widgets import widget as widgets

from dynamo_lab.api.recording import Recording
from dynamo_lab.live.session import Session
from dynamo_lab.render import display, live_views

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAIN = "y = x + {n}"
BREAKS = "y = x + {n}\nif y.sum() > 0:\n    y = y * 2\nprint(y.sum().item())\ny = y + 1"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from IPython.core.interactiveshell import InteractiveShell

    monkeypatch.setattr(display, "in_notebook", lambda: True)
    shell = InteractiveShell.instance()
    shell.run_cell("%load_ext dynamo_lab")
    shell.user_ns["x"] = torch.ones(4)
    yield shell
    InteractiveShell.clear_instance()


def living() -> dict[str, int]:
    gc.collect()
    kinds = [type(thing) for thing in gc.get_objects()]
    counts = {kind.__name__: kinds.count(kind) for kind in (Recording, Session)}
    return {**counts, "widgets": len(widgets._instances)}


def run(shell: Any, body: str, times: range) -> None:
    for n in times:
        with contextlib.redirect_stdout(io.StringIO()):
            done = shell.run_cell(f"%%compile --backend eager\n{body.format(n=n)}")
        assert done.success


@pytest.mark.slow
@pytest.mark.parametrize("body", [PLAIN, BREAKS])
def test_the_number_of_what_lives_is_flat(
    shell: Any, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_views, "MOST", 4)
    before = living()
    run(shell, body, range(8))
    after_some = living()
    run(shell, body, range(8, 20))
    assert living() == after_some
    assert after_some["Recording"] - before["Recording"] <= 5  # with the last one of `%lab`


@pytest.mark.slow
def test_a_cell_that_runs_again_has_one_view(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = iter(range(100))

    def parent(self: Any) -> dict[str, Any]:
        return {"metadata": {"cellId": "one"}, "header": {"msg_id": str(next(runs))}}

    monkeypatch.setattr(type(shell), "get_parent", parent, raising=False)
    before = living()
    run(shell, BREAKS, range(5))
    after = living()
    assert after["Recording"] - before["Recording"] == 1
    assert after["widgets"] - before["widgets"] == 2  # with its layout

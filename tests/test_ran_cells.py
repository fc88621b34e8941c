"""Which cell a source is: said by the notebook that ran it, of what it ran, or not at all."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import dynamo_lab as lab
from dynamo_lab.api.handle import answer
from dynamo_lab.api.settings import EVALUATES_NOTHING, VARIABLE
from dynamo_lab.errors import CellError
from dynamo_lab.live.session import Session
from dynamo_lab.model.core.sources import Excerpt, Source
from dynamo_lab.record.cells.ran import follow, ran_cell

if TYPE_CHECKING:
    from dynamo_lab.model.core.sources import SourceKind


class _Shell:
    """IPython as far as it is asked here."""

    def __init__(self) -> None:
        self.meta: dict[str, Any] = {}
        self.heard: dict[str, list[Any]] = {"pre_run_cell": [], "post_run_cell": []}
        self.events = self
        self.compile = SimpleNamespace(_filename_map={})

    def register(self, name: str, told: Any) -> None:
        self.heard[name].append(told)

    def starts(self, number: int, cell: str | None, raw: str, *, stored: bool = True) -> Any:
        info = SimpleNamespace(raw_cell=raw, cell_id=cell, store_history=stored)
        for told in self.heard["pre_run_cell"]:
            told(info)
        self.compile._filename_map[raw] = number
        return info

    def ran(self, number: int, cell: str | None, raw: str, *, stored: bool = True) -> None:
        info = self.starts(number, cell, raw, stored=stored)
        for told in self.heard["post_run_cell"]:
            told(SimpleNamespace(info=info, execution_count=number))


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> _Shell:
    made = _Shell()
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: made)
    follow(made)
    return made


def _source(text: str, path: str = "cell 2", kind: SourceKind = "cell") -> Source:
    return Source(path, kind, (Excerpt(1, text),))


def test_it_is_the_cell_that_ran_under_the_number(shell: _Shell) -> None:
    shell.ran(1, "a", "import torch")
    shell.ran(2, "b", "\n\n%%compile\ny = x\n")
    shell.ran(3, None, "inner", stored=False)
    found = ran_cell(_source("# %%compile\ny = x\n"))
    assert (found.cell, found.ran, found.above) == ("b", "\n\n%%compile\ny = x\n", 2)


def test_it_is_followed_once(shell: _Shell) -> None:
    follow(shell)
    assert [len(told) for told in shell.heard.values()] == [1, 1]
    follow(None)  # no notebook


def test_a_cell_inside_a_cell_takes_no_number(shell: _Shell) -> None:
    shell.ran(2, "b", "%%record\ny = x")
    shell.ran(2, "c", "y = x", stored=False)
    assert ran_cell(_source("# %%record\ny = x")).cell == "b"


def test_a_view_may_ask_while_its_cell_runs(shell: _Shell) -> None:
    shell.ran(1, "a", "import torch")
    shell.starts(2, "b", "%%record\ny = x")
    shell.ran(2, None, "y = x", stored=False)
    assert ran_cell(_source("# %%record\ny = x")).cell == "b"
    with pytest.raises(CellError, match="not known"):
        ran_cell(_source("# %%record\ny = x", "cell 3"))


@pytest.mark.parametrize(
    "source",
    [
        _source("y = x", "cell 9"),
        _source("y = x", "cell"),
        _source("y = x", "model.py", "user"),
        _source("y = x", "cell 2", "user"),
    ],
)
def test_what_is_not_known_is_refused(shell: _Shell, source: Source) -> None:
    shell.ran(2, "b", "y = x")
    with pytest.raises(CellError, match="not known"):
        ran_cell(source)


def test_lines_that_ipython_made_more_of_are_refused(shell: _Shell) -> None:
    shell.ran(2, "b", "!ls \\\n  -l\ny = x")
    with pytest.raises(CellError, match="commands"):
        ran_cell(_source("get_ipython().system('ls   -l')\ny = x"))


@pytest.mark.usefixtures("shell")
def test_only_what_this_kernel_recorded_has_a_cell_here(
    shell: _Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.ran(2, "b", "y = x")
    loaded = lab.Recording(title="cell 2", sources=(_source("y = x"),))
    assert "not made by this kernel" in answer(loaded, "cell", {"source": 0})["error"]
    here = Session()
    here.was_here = True
    own = lab.Recording.of(loaded, here)
    assert answer(own, "cell", {"source": 0})["answer"]["cell"] == "b"
    assert "no such source" in answer(own, "cell", {"source": 5})["error"]
    monkeypatch.setenv(VARIABLE, "off")
    assert answer(own, "cell", {"source": 0}) == {"error": EVALUATES_NOTHING}

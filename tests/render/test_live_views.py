"""Which views of a notebook stay live."""

from __future__ import annotations

from dynamo_lab.render.live_views import MOST, LiveViews


class View:
    def __init__(self) -> None:
        self.is_open = True

    def close(self) -> None:
        self.is_open = False


def test_the_oldest_is_closed_when_there_are_too_many() -> None:
    live, views = LiveViews(), [View() for _ in range(MOST + 2)]
    for view in views:
        live.add(view)
    assert [view.is_open for view in views] == [False] * 2 + [True] * MOST


def test_a_cell_that_runs_again_closes_its_views_and_no_others() -> None:
    live, views = LiveViews(), [View() for _ in range(4)]
    live.add(views[0], "a", "run 1")
    live.add(views[1], "a", "run 1")
    live.add(views[2], "b", "run 2")
    live.add(views[3], "a", "run 3")
    assert [view.is_open for view in views] == [False, False, True, True]


def test_cells_without_an_id_close_nothing_of_each_other() -> None:
    live, views = LiveViews(), [View(), View()]
    for run, view in enumerate(views):
        live.add(view, "", str(run))
    assert all(view.is_open for view in views)

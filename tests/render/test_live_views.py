"""Which views of a notebook stay live."""

from __future__ import annotations

from dynamo_lab.render.live_views import MOST, LiveViews


class View:
    def __init__(self, uid: str = "") -> None:
        self.uid = uid
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


def test_a_view_is_known_by_its_name_while_it_is_live() -> None:
    live = LiveViews()
    live.add(View("u1"), "a", "run 1")
    assert live.shows("u1")
    live.add(View("u2"), "a", "run 2")
    assert not live.shows("u1")
    assert live.shows("u2")

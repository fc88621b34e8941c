"""Messages of a log beside the views: which they are tied to, and which are text alone."""

from __future__ import annotations

from dynamo_lab.render import terminal
from dynamo_lab.view import build
from tests.view.samples import branch_and_print, logged


def test_messages_are_tied_by_compilation_and_line() -> None:
    broke, graph, alone, hint = build(logged()).logs.records
    assert (broke.view, broke.entity) == ("breaks", "break:0")
    assert broke.where == "line 2"
    assert (graph.view, graph.shown, graph.entity) == ("graphs", "graph 1", "graph:0")
    assert (alone.view, alone.shown, alone.entity) == ("", "", "")
    assert hint.note == "5 more characters"


def test_a_log_that_no_view_shows_says_so() -> None:
    kinds = {kind.name: kind for kind in build(logged()).logs.kinds}
    assert (kinds["graph_code"].count, kinds["graph_code"].tied) == (1, 1)
    assert (kinds["sym_node"].view, kinds["sym_node"].tied) == ("", 0)
    printed = terminal.render(build(logged()), sections=["logs"], width=100)
    assert "breaks: break 1" in printed
    assert "only here: each operation on a symbolic number" in printed


def test_in_a_narrow_terminal_the_view_stands_below_the_text() -> None:
    rows = terminal.render(build(logged()), sections=["logs"], width=60).split("\n")
    at = next(i for i, row in enumerate(rows) if row.startswith("  Graph break in user code"))
    assert any(row.startswith("  breaks: break 1") for row in rows[at + 1 : at + 4])
    assert max(map(len, rows)) <= 60


def test_without_a_log_nothing_is_printed_in_brief() -> None:
    assert build(branch_and_print()).logs.records == ()
    assert "Logs" not in terminal.render(build(branch_and_print()))

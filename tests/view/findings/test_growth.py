"""What is said of a container that grows, on recordings made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.guards.guards import FailedGuard, Recompile
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from tests.view.samples.table import Table, graph

if TYPE_CHECKING:
    from dynamo_lab.view.findings.finding import Finding

CODE = """\
def fn(x, args):
    args[1].seen.append(x)
    return x
"""
SOURCE = "L['args'][1].seen"


def called(*tables: Table) -> Finding:
    """What is found where each call has the list one longer, and makes the next of these graphs."""
    graphs = tuple(
        replace(graph(at, table), compile_id=f"0/{at}") for at, table in enumerate(tables)
    )
    recompiles = tuple(
        Recompile(
            frame=0,
            compile_id=f"0/{at}",
            failed=(
                FailedGuard(
                    compile_id=f"0/{at - 1}",
                    text=f"len({SOURCE}) == {at}",
                    source=SOURCE,
                    was=str(at),
                    now=str(at + 1),
                ),
            ),
        )
        for at in range(1, len(tables))
    )
    recording = Recording(
        title="fn",
        sources=(Source("/home/a/f.py", "user", (Excerpt(1, CODE),)),),
        spans=(Span(0, 1, "fn"),),
        frames=(Frame(id=0, name="fn", span=0, outcome="compiled"),),
        graphs=graphs,
        recompiles=recompiles,
    )
    [found] = build(recording).findings.found
    return found


def doubled() -> Table:
    table = Table()
    table.output(table.node("mul", "operator.mul", table.input("l_x_"), arguments="l_x_, 2"))
    return table


def test_a_list_that_changes_no_graph_is_appended_by_the_caller() -> None:
    found = called(doubled(), doubled(), doubled())
    assert found.rule == "growing-container"
    assert "The graph is the same for each length" in found.remedy
    assert "append it in the code that calls" in found.remedy


def test_a_list_in_brackets_whose_tensors_are_read_is_seen_in_the_graphs() -> None:
    def joined(count: int) -> Table:
        table = Table()
        parts = [table.input(f"l_args_1_seen_{at}_") for at in range(count)]
        table.output(table.node("cat", "torch.cat", *parts))
        return table

    found = called(joined(1), joined(2), joined(3))
    assert "the code is unrolled over it" in found.sentence
    assert "append it in the code" not in found.remedy


def test_numbers_that_are_looped_over_are_not_advised_to_be_appended_elsewhere() -> None:
    def summed(count: int) -> Table:
        table = Table()
        last = table.input("l_x_")
        for at in range(count):
            last = table.node(f"x_{at}", "operator.add", last, arguments=f"x_{at - 1}, 2")
        table.output(last)
        return table

    found = called(summed(1), summed(2), summed(3))
    assert found.rule == "length-changes"
    assert "append it in the code" not in found.remedy
    assert "No graph reads" not in found.remedy

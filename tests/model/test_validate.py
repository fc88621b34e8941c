"""A recording's indices name what there is, and nothing in it goes in a circle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from dynamo_lab.errors import RecordingFileError
from dynamo_lab.model.core import codec
from dynamo_lab.model.decompositions import Call, Decompositions, Row, Rule, Step, Traced, Way
from dynamo_lab.model.recording import Failure, Recording
from dynamo_lab.model.timings import Timing
from dynamo_lab.model.validate import validate
from tests.model.files import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

CALL = Call(operator="aten.add.Tensor", arguments="")

SCALARS = {
    "spans": (0,),
    "frames": ("id", "span", "resumes", "caller"),
    "breaks": ("id", "frame", "span", "stack", "graph_before"),
    "guards": ("frame", "stack"),
    "recompiles": ("frame",),
    "symbols": ("frame", "stack"),
    "shape_facts": ("frame", "stack"),
    "graphs": ("id", "frame", "parent", "parent_node"),
    "lowerings": ("graph",),
    "buffers": ("id", "graph", "during"),
    "kernels": ("id", "graph", "wrapper"),
    "wrappers": ("id", "graph"),
    "links": ("upstream", "downstream"),
    "timings": (3,),
}

COLUMNS = ("op", "target", "value", "module", "stack")


def indices(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Each (container, key) in the JSON of a recording whose value is an index of something."""
    for table, keys in SCALARS.items():
        yield from ((row, key) for row in tree[table] for key in keys)
    nodes = [graph["nodes"] for graph in tree["graphs"]]
    lists: list[Any] = [
        *tree["stacks"],
        *(row["resume_frames"] for row in tree["breaks"]),
        *(row["nodes"] for row in tree["kernels"]),
        *(row["nodes"] for row in tree["buffers"]),
        *(row["buffers"] for lowering in tree["lowerings"] for row in lowering["nodes"]),
        *(pair for row in tree["links"] for pair in row["pairs"]),
        *(table[column] for table in nodes for column in COLUMNS),
        *(inputs for table in nodes for inputs in table["inputs"]),
        *(calls for table in nodes for calls in table["subgraphs"].values()),
    ]
    yield from ((row, position) for row in lists for position in range(len(row)))
    rows = [row for lowering in tree["lowerings"] for row in lowering["nodes"]]
    yield from ((row, key) for row in rows for key in ("node", "rule"))
    yield from ((line, 2) for row in tree["buffers"] for line in row["body"])
    yield from ((failed, "stack") for row in tree["recompiles"] for failed in row["failed"])
    yield from ((attempt, "graph") for row in tree["frames"] for attempt in row["attempts"])


def test_each_index_out_of_range_is_refused(sample: Recording) -> None:
    """Set every number that is an index, wherever it is, to one that is outside each table."""
    tree = json.loads(codec.encode(sample))["recording"]
    tried = 0
    for holder, key in list(indices(tree)):
        for stray in (99, -2, 2**70):
            kept, holder[key] = holder[key], stray
            with pytest.raises(RecordingFileError, match="damaged"):
                codec.decode(wrapped(tree))
            holder[key] = kept
            tried += 1
    assert tried > 150
    assert codec.decode(wrapped(tree)) == sample


def changed(sample: Recording, table: str, position: int, **changes: object) -> Recording:
    """`sample` with fields of one row replaced."""
    rows = list(getattr(sample, table))
    rows[position] = msgspec.structs.replace(rows[position], **changes)
    return msgspec.structs.replace(sample, **{table: tuple(rows)})


class TestValidate:
    def test_the_sample_is_sound(self, sample: Recording) -> None:
        assert validate(sample) is None

    def test_the_place_is_named(self, sample: Recording) -> None:
        problem = validate(changed(sample, "breaks", 0, span=99))
        assert problem == "breaks[0].span is 99, but there are 3 spans"

    @pytest.mark.parametrize(
        ("table", "changes", "circle"),
        [
            ("frames", {"resumes": 0}, "frames resume"),
            ("frames", {"caller": 0}, "frames call"),
            ("graphs", {"parent": 0}, "graphs lie in"),
            ("timings", {"parent": 0}, "timings lie in"),
        ],
    )
    def test_circles(
        self, sample: Recording, table: str, changes: dict[str, int], circle: str
    ) -> None:
        problem = validate(changed(sample, table, 0, **changes))
        assert problem == f"{circle} each other in a circle"

    @pytest.mark.parametrize("wild", [1e308, -1e308, float("inf"), float("nan")])
    @pytest.mark.parametrize("field", ["start", "seconds"])
    def test_times_that_are_none(self, sample: Recording, field: str, wild: float) -> None:
        problem = validate(changed(sample, "timings", 0, **{field: wild}))
        assert problem == f"timings[0].{field} is {wild}, which is not a time"

    def test_graphs_that_call_each_other(self, sample: Recording) -> None:
        nodes = msgspec.structs.replace(sample.graphs[0].nodes, subgraphs={1: (0,)})
        problem = validate(changed(sample, "graphs", 0, nodes=nodes))
        assert problem == "graphs call each other in a circle"

    @pytest.mark.parametrize("subgraphs", [{9: ()}, {-1: ()}, {1: (5,)}])
    def test_subgraphs(self, sample: Recording, subgraphs: dict[int, tuple[int, ...]]) -> None:
        nodes = msgspec.structs.replace(sample.graphs[0].nodes, subgraphs=subgraphs)
        problem = validate(changed(sample, "graphs", 0, nodes=nodes))
        assert problem is not None
        assert "graphs[0].nodes.subgraphs" in problem

    def test_columns_of_different_lengths(self, sample: Recording) -> None:
        nodes = msgspec.structs.replace(sample.graphs[0].nodes, op=(0,))
        problem = validate(changed(sample, "graphs", 0, nodes=nodes))
        assert problem == "graphs[0].nodes.op has 1 rows for 4 nodes"

    def test_the_failure_has_a_place(self, sample: Recording) -> None:
        failure = Failure(type="ValueError", message="", traceback="", span=7)
        problem = validate(msgspec.structs.replace(sample, failure=failure))
        assert problem == "failure.span is 7, but there are 3 spans"

    def test_calls_that_become_each_other(self, sample: Recording) -> None:
        way = (Way(step=0), Way(end="set"), Way(end="set"))
        facts = Decompositions(
            calls=(Call(operator="aten.add.Tensor", arguments="", ways=way),),
            steps=(Step(call=0, rule=0, rows=(Row(call=0, name="a", arguments=""),)),),
            rules=(Rule(kind="registered", name="add"),),
        )
        problem = validate(msgspec.structs.replace(sample, decompositions=facts))
        assert problem == "calls become (to core_aten) each other in a circle"

    @pytest.mark.parametrize(
        ("facts", "place"),
        [
            (Decompositions(traced=(Traced(call=0),)), "traced[0].call"),
            (Decompositions(calls=(CALL,), traced=(Traced(call=0, rule=0),)), "traced[0].rule"),
            (Decompositions(calls=(CALL,), traced=(Traced(call=0, graph=9),)), "traced[0].graph"),
            (
                Decompositions(calls=(CALL,), traced=(Traced(call=0, graph=0, nodes=(9,)),)),
                "traced[0].nodes",
            ),
            (
                Decompositions(calls=(CALL,), traced=(Traced(call=0, nodes=(0,)),)),
                "traced[0].nodes",
            ),
            (Decompositions(steps=(Step(call=0, rule=0),)), "steps[0].call"),
            (
                Decompositions(
                    calls=(msgspec.structs.replace(CALL, ways=(Way(step=0), Way(), Way())),)
                ),
                "calls[0].ways",
            ),
            (
                Decompositions(calls=(msgspec.structs.replace(CALL, ways=(Way(),)),)),
                "calls[0] has 1 ways",
            ),
        ],
    )
    def test_decompositions_name_what_there_is(
        self, sample: Recording, facts: Decompositions, place: str
    ) -> None:
        problem = validate(msgspec.structs.replace(sample, decompositions=facts))
        assert problem is not None
        assert problem.startswith("decompositions.")
        assert place in problem

    def test_a_lowering_makes_buffers_of_its_own_graph(self, sample: Recording) -> None:
        problem = validate(changed(sample, "lowerings", 0, graph=0))
        assert problem == "lowerings[0] has the buffer 0, which is of graph 1"

    def test_a_long_chain_is_no_circle(self) -> None:
        timings = tuple(Timing("phase", 0.0, 0.0, parent=at - 1) for at in range(50_000))
        assert validate(Recording(title="", timings=timings)) is None

"""What Python and the front-end both compute, each held by one table that the tests of both read.

`pytest tests/cases --update-golden` writes the tables from what Python answers; frontend/test reads
them. In search.json the queries are written by hand, and their answers come from here.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from msgspec.structs import replace

from dynamo_lab.errors import QueryError
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.export import dot
from dynamo_lab.render.text import one_line, visible
from dynamo_lab.view import View, build
from dynamo_lab.view.core import words
from dynamo_lab.view.fusion.why_not import answer
from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.graphs.query import parse, widened
from dynamo_lab.view.graphs.scenes import Cluster, Scene, Scenes
from dynamo_lab.view.journey.address import address_of
from dynamo_lab.view.journey.journey import journey_of
from dynamo_lab.view.related import Relations
from dynamo_lab.view.search import searched_graphs
from dynamo_lab.view.steps.playback import Moment, Playback, Stop

Make = Callable[[str], Recording]
Table = dict[str, Any]

HERE = Path(__file__).parent
WIDTH = 120


def read(noun: str) -> Table:
    return json.loads((HERE / f"{noun}.json").read_text(encoding="utf-8"))


def lines(value: Any, indent: str = "") -> str:
    """JSON with as much in a line as fits it."""
    flat, inner = json.dumps(value), f"{indent} "
    if len(flat) + len(indent) <= WIDTH or not isinstance(value, (list, dict)):
        return flat
    if isinstance(value, dict):
        table = cast("Table", value)
        rows = [f"{json.dumps(key)}: {lines(one, inner)}" for key, one in table.items()]
    else:
        rows = [lines(one, inner) for one in cast("list[Any]", value)]
    before, after = "{}" if isinstance(value, dict) else "[]"
    return f"{before}\n" + ",\n".join(inner + row for row in rows) + f"\n{indent}{after}"


def search(make: Make) -> Table:
    """What each query finds in one view, which are refused and why, and which are widened."""
    view, asked = build(make("searched")), read("search")
    return {
        "view": {"graphs": view.graphs, "links": view.links, "sources": view.sources},
        "found": [[query, found(view, query)] for query, _ in asked["found"]],
        "refused": [[query, refusal(query)] for query, _ in asked["refused"]],
        "widened": [[query, widened(query)] for query, _ in asked["widened"]],
    }


def found(view: View, query: str) -> dict[str, list[int]]:
    terms = parse(query)
    hits = {str(graph.id): one.find(terms) for graph, one in searched_graphs(view)}
    return {graph: nodes for graph, nodes in hits.items() if nodes}


def refusal(query: str) -> str:
    with pytest.raises(QueryError) as caught:
        parse(query)
    return str(caught.value)


def scenes(make: Make) -> Table:
    """The boxes, frames and edges of diagrams, and their DOT."""
    return {
        name: scenes_of(build(make(name)).graphs) for name in ("searched", "nested", "unrolled")
    }


def scenes_of(graphs: tuple[GraphView, ...]) -> Table:
    by_id = {graph.id: graph for graph in graphs}
    shown = (graph for graph in graphs if graph.parent is None)
    of_graphs = [
        (graph, Scenes(graph, by_id, inputs)) for graph in shown for inputs in (True, False)
    ]
    return {
        "graphs": graphs,
        "opened": [row for graph, made in of_graphs for row in opened(graph, made, by_id)],
        "around": [
            row
            for graph, made in of_graphs
            if made.with_inputs
            for row in around(graph, made, by_id)
        ],
        "initially_open": [
            [graph.id, made.with_inputs, most, sorted(made.initially_open(most))]
            for graph, made in of_graphs
            for most in (1, 4, 8, 60)
        ],
    }


def opened(graph: GraphView, made: Scenes, by_id: Mapping[int, GraphView]) -> Iterator[Table]:
    bodies = frozenset(
        f"b{body}" for of in by_id.values() for ids in of.subgraphs.values() for body in ids
    )
    everything = made.all_open() | bodies
    choices = {frozenset[str](), made.initially_open(), made.all_open(), bodies, everything}
    for choice in sorted(choices, key=lambda one: (len(one), sorted(one))):
        asked = {"graph": graph.id, "inputs": made.with_inputs, "open": sorted(choice)}
        yield asked | {"count": made.count(choice)} | drawn(made.modules(choice), by_id)


def around(graph: GraphView, made: Scenes, by_id: Mapping[int, GraphView]) -> Iterator[Table]:
    for node, (up, down, limit) in product(range(0, len(graph.name), 3), ((2, 1, 200), (3, 3, 4))):
        asked = {"graph": graph.id, "node": node, "up": up, "down": down, "limit": limit}
        yield asked | drawn(made.around(node, up, down, limit), by_id)


def drawn(scene: Scene, by_id: Mapping[int, GraphView]) -> Table:
    return {
        "boxes": [box.id for box in scene.boxes()],
        "frames": list(frames(scene.root)),
        "edges": [[one.source, one.target, one.weight, one.is_call] for one in scene.edges],
        "dot": dot.write(scene, by_id).source,
    }


def frames(cluster: Cluster) -> Iterator[str]:
    yield cluster.id
    for inner in cluster.clusters:
        yield from frames(inner)


STOPS: tuple[Stop, ...] = ("step", "over", "out", "break", "node", "guard", "attempt")


def steps(make: Make) -> Table:
    """What is known after each step, and where each move leads, forward and back."""
    return {name: played(build(make(name))) for name in ("film", "hostile_film")}


def played(view: View) -> Table:
    assert view.steps is not None
    playback = Playback(view.steps)
    count = range(len(playback))
    return {
        "steps": view.steps,
        "moments": [told(playback.moment(step)) for step in count],
        "moves": {
            stop: [
                [playback.move(step, stop, forward) for step in count] for forward in (True, False)
            ]
            for stop in STOPS
        },
    }


def told(moment: Moment) -> Table:
    return {
        "take": moment.take.title,
        "code": moment.code.name,
        "instruction": moment.instruction,
        "calls": moment.calls,
        "stack": moment.stack[::-1],  # the page has the top first
        "variables": [[one.name, one.value, one.is_new] for one in moment.variables],
        "nodes": moment.nodes,
        "guards": moment.guards,
        "events": moment.events,
    }


def fusion(make: Make) -> Table:
    """Why two operations are not fused, for each two of a graph; also where one joins buffers."""
    recording = make("scheduled")
    schedule, plan = recording.schedules[0], recording.memory_plans[0]
    ops = schedule.operations
    join = replace(ops[2], kind="nop", call="", reads=("buf4",), after=(4,))
    reader = replace(ops[3], reads=(*ops[3].reads, "buf2"))
    schedule = replace(schedule, operations=(*ops[:2], join, reader, ops[4]))
    step = replace(plan.steps[0], operations=(0, 1, 3))
    plan = replace(plan, steps=(step, *plan.steps[1:]))
    joined = replace(recording, schedules=(schedule,), memory_plans=(plan,))
    return {**_answered(recording), "joined": _answered(joined)}


def _answered(recording: Recording) -> Table:
    view = build(recording).fusions
    schedule = view.schedules[0]
    count = range(len(schedule.operations))
    answers = [
        [one, other, answer(schedule, one, other, view.unseen[schedule.compiler])]
        for one in count
        for other in count
    ]
    return {"view": view, "answers": answers}


KIN = (
    "sources",
    "graphs",
    "links",
    "expressions",
    "kernels",
    "lowering",
    "fusions",
    "breaks",
    "frames",
    "guards",
    "shapes",
)


def kin(make: Make) -> Table:
    """What lights up with each entity."""
    return {
        name: kin_of(build(make(name))) for name in ("assembled", "lowered", "scheduled", "sizes")
    }


def kin_of(view: View) -> Table:
    kinship = Relations(view)
    return {
        "view": {name: getattr(view, name) for name in KIN},
        "kin": {one: sorted(kinship.of(one)) for one in entities(view)},
    }


def entities(view: View) -> Iterator[str]:
    yield from (
        f"line:{source.id}:{line.number}" for source in view.sources for line in source.lines
    )
    yield from (
        f"node:{graph.id}:{node}" for graph in view.graphs for node in range(len(graph.name))
    )
    yield from (f"buffer:{buffer.id}" for buffer in view.lowering.buffers)
    for kernel in view.kernels.kernels:
        yield f"kernel:{kernel.id}"
        yield from (f"statement:{kernel.id}:{statement.line}" for statement in kernel.statements)
    yield from (
        f"op:{one.id}" for schedule in view.fusions.schedules for one in schedule.operations
    )
    yield from (f"expression:{index}" for index in range(len(view.expressions.shown)))
    yield from (f"break:{item.id}" for item in view.breaks)
    yield from (f"frame:{frame.id}" for frame in view.frames)
    yield from (f"guard:{index}" for index in range(len(view.guards.guards)))
    yield from (f"symbol:{index}" for index in range(len(view.shapes.symbols)))


JOURNEY = (*KIN, "main_source", "decompositions", "bench")


def journey(make: Make) -> Table:
    """The way of each entity, and its address on a page."""
    return {
        name: journeys_of(build(make(name)))
        for name in ("assembled", "scheduled", "decomposed", "measured")
    }


def journeys_of(view: View) -> Table:
    relations = Relations(view)
    return {
        "view": {name: getattr(view, name) for name in JOURNEY},
        "ways": {one: way_of(view, one, relations) for one in entities(view)},
        "addresses": {one: address_of(view, one) for one in entities(view)},
    }


def way_of(view: View, entity: str, relations: Relations) -> list[Any]:
    """Each station as its stops, or why there is none."""
    stations = journey_of(view, entity, relations).stations
    return [
        [[stop.entity, stop.text, stop.tab, stop.is_backward] for stop in station.stops]
        or station.missing
        for station in stations
    ]


SIZES = (
    0,
    1,
    999,
    1000,
    1049,
    1050,
    99_499,
    99_500,
    999_499,
    999_500,
    3_100_000,
    10**9,
    10**12,
    10**16,
)
TEXTS = (
    *("plain", "a\x1b[0m\u202eb\U000e0041\tc\nd", " two\t\r\n words ", "\ud800"),
    *("\u2028\u00ad\ufeff", "\x7f\x9f", "\u00e9\U0001f600"),
)


def texts(_: Make) -> Table:
    """Amounts in words, and the text of strangers made visible."""
    return {
        "sizes": [[count, words.size(count)] for count in SIZES],
        "visible": [[text, visible(text)] for text in TEXTS],
        "one_line": [[text, one_line(text)] for text in TEXTS],
    }


NOUNS = (search, scenes, steps, fusion, kin, journey, texts)


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_the_table_is_what_python_answers(
    noun: Callable[[Make], Table], make: Make, request: pytest.FixtureRequest
) -> None:
    path = HERE / f"{noun.__name__}.json"
    table = json.loads(json.dumps(msgspec.to_builtins(noun(make), str_keys=True)))
    if request.config.getoption("--update-golden"):
        path.write_text(lines(table) + "\n", encoding="utf-8")
    assert read(noun.__name__) == table, "accept it with pytest --update-golden, and review it"


def unread(names: Iterable[str]) -> set[str]:
    """The tables that no test of the front-end reads."""
    tests = HERE.parents[1] / "dynamo_lab" / "frontend" / "test"
    text = "\n".join(path.read_text(encoding="utf-8") for path in tests.rglob("*.ts"))
    return {name for name in names if f'"{name}"' not in text}


def test_the_front_end_reads_every_table() -> None:
    assert not unread(path.stem for path in HERE.glob("*.json"))

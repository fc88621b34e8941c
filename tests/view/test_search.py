"""The cases that the front-end's tests read too: tests/cases has the view that they search."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynamo_lab.errors import QueryError
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.graphs.query import parse, widened
from dynamo_lab.view.search import searched_graphs

CASES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "cases" / "search.json").read_text(encoding="utf-8")
)
Make = Callable[[str], Recording]


@pytest.mark.parametrize(("query", "expected"), CASES["found"])
def test_a_query_finds(make: Make, query: str, expected: dict[str, list[int]]) -> None:
    view = build(make("searched"))
    terms = parse(query)
    found = {str(graph.id): one.find(terms) for graph, one in searched_graphs(view)}
    assert {graph: nodes for graph, nodes in found.items() if nodes} == expected


@pytest.mark.parametrize(("query", "sentence"), CASES["refused"])
def test_what_is_not_understood_is_said(query: str, sentence: str) -> None:
    with pytest.raises(QueryError, match=f"^{re.escape(sentence)}$"):
        parse(query)


@pytest.mark.parametrize(("query", "expected"), CASES["widened"])
def test_a_query_that_found_nothing_can_be_widened(query: str, expected: str) -> None:
    assert widened(query) == expected


def test_a_recording_is_asked_in_the_same_language(make: Make) -> None:
    import dynamo_lab

    recording = dynamo_lab.Recording(
        **{name: getattr(make("searched"), name) for name in Recording.__struct_fields__}
    )
    found = recording.find("op:*mm")
    assert [(node.graph, node.name) for node in found] == [(3, "mm"), (3, "addmm")]
    assert found[1].inputs == (1, 0)
    assert [node.index for node in recording.find("op:linear", graph=0)] == [3, 5]
    with pytest.raises(QueryError, match="There is no graph 9"):
        recording.find("op:linear", graph=9)

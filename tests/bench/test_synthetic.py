"""The made-up recording is sound and as large as was asked."""

from __future__ import annotations

import pytest

from dynamo_lab.model.validate import validate
from dynamo_lab.view import build
from tests.benchmarks.core.synthetic import recording


@pytest.mark.parametrize("nodes", [10, 300, 5_000])
def test_it_is_sound(nodes: int) -> None:
    made = recording(nodes)
    assert validate(made) is None
    assert sum(len(graph.nodes) for graph in made.graphs) == nodes
    assert len(build(made).graphs) == 2

"""Random graphs: the kernels of each target against eager."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import count
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.compiler.targets.c import C
from dynamo_lab.measure.baselines import why_not
from tests.compiler.graphs import try_graphs
from tests.compiler.running import metal
from tests.kernels.in_interpreter import results_of

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.compiler.targets.metal import Metal

pytestmark = pytest.mark.live

MANY = pytest.mark.long


@pytest.mark.parametrize("graphs", [40, pytest.param(1000, marks=MANY)])
def test_c_computes_what_eager_does(graphs: int) -> None:
    try_graphs(graphs, C)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("triton") is None, reason="needs Triton")
@pytest.mark.parametrize("graphs", [10, pytest.param(300, marks=MANY)])
def test_triton_computes_what_eager_does(graphs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHS", str(graphs))
    assert results_of("tests.compiler.graphs_in_triton") == ""


@pytest.mark.slow
@pytest.mark.parametrize("graphs", [5, pytest.param(100, marks=MANY)])
def test_metal_computes_what_eager_does(graphs: int, tmp_path: Path) -> None:
    """The shaders as C++, built one by one, which takes a second each."""
    if reason := why_not("cpp", "cpu"):
        pytest.skip(reason)
    numbers = count()

    def target() -> Metal:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        return metal(folder)

    try_graphs(graphs, target)

"""Why does it break? Seeded faults: the first finding names cause and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.findings.faults import Fault, assert_found_first

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

FAULTS = {
    "branch_on_a_tensor": Fault(
        "graph-break",
        """
        import torch

        def fn(x):
            y = x.relu()
            if y.sum() > 0:  # fault
                y = y * 2
            return y.sin()

        def record(lab):
            return lab.explore(fn, torch.ones(4))
        """,
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_first_finding_names_cause_and_line(name: str, tmp_path: Path) -> None:
    assert_found_first(FAULTS[name], tmp_path, name)

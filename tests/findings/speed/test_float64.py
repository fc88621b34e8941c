"""How far float64 goes that nobody asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.live.breaks.test_more_advice import explored

if TYPE_CHECKING:
    import dynamo_lab as lab

pytestmark = pytest.mark.live

WIDE = "import numpy as np\nTABLE = torch.from_numpy(np.ones(4))\ndef f(x):\n"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("    return (x * TABLE).sin() + 1", "computes in float64 from here on: "),
        ("    return (x * TABLE).float().sin() + 1", "computes in float64: "),
    ],
)
def test_what_is_converted_back_is_not_float64_from_here_on(body: str, told: str) -> None:
    recording: lab.Recording = explored(WIDE + body, "torch.ones(4)", "float64")
    (found,) = (one for one in recording.findings if one.rule == "float64")
    assert told in found.sentence

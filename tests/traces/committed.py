"""The logs of several releases in logs/, and what is opened of them."""

from pathlib import Path
from typing import Any

import dynamo_lab as lab
from dynamo_lab.api.traces import Ranks

LOGS = Path(__file__).parent / "logs"
SINGLE = ("torch-2.11-gpu", "torch-2.13", "torch-2.15")
SEVERAL = (
    "torch-2.11-ranks",
    "torch-2.11-crashed",
    "torch-2.11-nccl-hang",
    "torch-2.11-nccl-ranks",
    "torch-2.13-ranks",
)


def one(path: Path, **options: Any) -> lab.Recording:
    """The recording in a log of one process."""
    found = lab.open_trace(path, **options)
    assert isinstance(found, lab.Recording)
    return found


def several(path: Path) -> Ranks:
    """The recordings in the logs of several."""
    found = lab.open_trace(path)
    assert isinstance(found, Ranks)
    return found

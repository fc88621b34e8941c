"""What processes that are forked begin with: importing this captures a small program in each way.

What a first capture imports and builds is there then for all of them, and what is there by now is
no longer looked through by the garbage collector, which would copy each page that it looks at.
"""

from __future__ import annotations

import gc

import torch

from dynamo_lab.suite.captures.judge import CAPTURES
from dynamo_lab.suite.corpus.program import Program


def _capture_one() -> None:
    torch.set_num_threads(1)  # threads of a pool would be missing in the forked processes
    program = Program(torch.nn.Linear(2, 2).eval(), (torch.ones(1, 2),))
    for capture in CAPTURES.values():
        capture(program)


_capture_one()
gc.collect()
gc.freeze()

"""What lessons 14 to 17 are given, so that they can build a compiler; the compiler is theirs.

`carried` takes over what the lessons before built, `workshop` puts kernels into a graph,
`without_gpu` runs Triton where there is none, `gradients` are formulas. The large compiler, which
the lessons compare theirs with, is `dynamo_lab.compiler`.
"""

from __future__ import annotations

from dynamo_lab.course.inductor import gradients
from dynamo_lab.course.inductor.carried import continue_after
from dynamo_lab.course.inductor.without_gpu import interpreted, ptx
from dynamo_lab.course.inductor.workshop import (
    Made,
    beside,
    graph_of,
    indented,
    machine_code,
    made_by,
    put_in,
)

__all__ = [
    "Made",
    "beside",
    "continue_after",
    "gradients",
    "graph_of",
    "indented",
    "interpreted",
    "machine_code",
    "made_by",
    "ptx",
    "put_in",
]

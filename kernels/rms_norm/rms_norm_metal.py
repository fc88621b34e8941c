"""RMS norm in Metal: a group of threads a row."""

import functools
from pathlib import Path

import torch

THREADS = 256  # a group, in reductions.metal too; not tuned: there was no Mac to tune it on
REDUCTIONS = (Path(__file__).parents[1] / "reductions.metal").read_text()

SHADER = """
kernel void rms_norm(
    device const float* x,
    device const float* weight,
    device float* out,
    constant long& columns,
    constant float& eps,
    uint row [[threadgroup_position_in_grid]],
    uint thread_id [[thread_position_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]
) {
    threadgroup float shared[THREADS / WIDTH];
    device const float* from = x + row * columns;
    device float* to = out + row * columns;

    float squares = 0;
    for (long i = thread_id; i < columns; i += THREADS) squares += from[i] * from[i];
    squares = group_sum(squares, shared, lane, simd_group);
    const float scale = precise::rsqrt(squares / columns + eps);

    for (long i = thread_id; i < columns; i += THREADS) to[i] = from[i] * scale * weight[i];
}
"""


@functools.cache
def library():
    return torch.mps.compile_shader(REDUCTIONS + SHADER)


def run(x, weight):
    rows, columns = x.shape
    out = torch.empty_like(x)
    library().rms_norm(x, weight, out, columns, 1e-6, threads=rows * THREADS, group_size=THREADS)
    return out

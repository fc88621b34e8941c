"""Softmax in Metal: a group of threads a row. SIMD groups reduce by themselves, then together."""

import functools
from pathlib import Path

import torch

THREADS = 256  # a group; not tuned: there was no Mac to tune it on (reductions.metal has it too)

REDUCTIONS = (Path(__file__).parents[1] / "reductions.metal").read_text()

SHADER = """
kernel void softmax(
    device const float* x,
    device float* out,
    constant long& columns,
    uint row [[threadgroup_position_in_grid]],
    uint thread_id [[thread_position_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]
) {
    threadgroup float shared[THREADS / WIDTH];
    device const float* from = x + row * columns;
    device float* to = out + row * columns;

    float largest = -INFINITY;
    for (long i = thread_id; i < columns; i += THREADS) largest = max(largest, from[i]);
    largest = group_max(largest, shared, lane, simd_group);

    float sum = 0;
    for (long i = thread_id; i < columns; i += THREADS) sum += exp(from[i] - largest);
    sum = group_sum(sum, shared, lane, simd_group);

    // the row is in the cache by now: the exponential costs less than keeping it would
    for (long i = thread_id; i < columns; i += THREADS) to[i] = exp(from[i] - largest) / sum;
}
"""


@functools.cache
def library():
    return torch.mps.compile_shader(REDUCTIONS + SHADER)


def run(x):
    rows, columns = x.shape
    out = torch.empty_like(x)
    library().softmax(x, out, columns, threads=rows * THREADS, group_size=THREADS)
    return out

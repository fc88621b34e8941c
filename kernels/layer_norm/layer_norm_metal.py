"""Layer norm in Metal: a group of threads a row, which meets for the mean and the variance."""

import functools
from pathlib import Path

import torch

THREADS = 256  # a group, in reductions.metal too; not tuned: there was no Mac to tune it on
REDUCTIONS = (Path(__file__).parents[1] / "reductions.metal").read_text()

SHADER = """
kernel void layer_norm(
    device const float* x,
    device const float* weight,
    device const float* bias,
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

    float sum = 0;
    for (long i = thread_id; i < columns; i += THREADS) sum += from[i];
    const float mean = group_sum(sum, shared, lane, simd_group) / columns;

    float squares = 0;
    for (long i = thread_id; i < columns; i += THREADS) {
        const float centered = from[i] - mean;
        squares += centered * centered;
    }
    squares = group_sum(squares, shared, lane, simd_group);
    const float scale = precise::rsqrt(squares / columns + eps);

    for (long i = thread_id; i < columns; i += THREADS)
        to[i] = (from[i] - mean) * scale * weight[i] + bias[i];
}
"""


@functools.cache
def library():
    return torch.mps.compile_shader(REDUCTIONS + SHADER)


def run(x, weight, bias):
    rows, columns = x.shape
    out = torch.empty_like(x)
    library().layer_norm(
        x, weight, bias, out, columns, 1e-5, threads=rows * THREADS, group_size=THREADS
    )
    return out

"""Dropout, residual and layer norm in Metal: a group of threads a row."""

import functools
from pathlib import Path

import torch

THREADS = 256  # a group, in reductions.metal too; not tuned: there was no Mac to tune it on
REDUCTIONS = (Path(__file__).parents[1] / "reductions.metal").read_text()

SHADER = """
kernel void dropout_norm(
    device const float* x,
    device const float* residual,
    device const bool* keep,
    device const float* weight,
    device const float* bias,
    device float* out,
    device float* total,
    constant long& columns,
    constant float& rescale,
    constant float& eps,
    uint row [[threadgroup_position_in_grid]],
    uint thread_id [[thread_position_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]
) {
    threadgroup float shared[THREADS / WIDTH];
    const long start = row * columns;
    device float* added = total + start;

    // a thread reads back only what it wrote itself, so no barrier is needed in between
    float sum = 0;
    for (long i = thread_id; i < columns; i += THREADS) {
        added[i] = residual[start + i] + (keep[start + i] ? x[start + i] * rescale : 0.0f);
        sum += added[i];
    }
    const float mean = group_sum(sum, shared, lane, simd_group) / columns;

    float squares = 0;
    for (long i = thread_id; i < columns; i += THREADS) {
        const float centered = added[i] - mean;
        squares += centered * centered;
    }
    squares = group_sum(squares, shared, lane, simd_group);
    const float scale = precise::rsqrt(squares / columns + eps);

    for (long i = thread_id; i < columns; i += THREADS)
        out[start + i] = (added[i] - mean) * scale * weight[i] + bias[i];
}
"""


@functools.cache
def library():
    return torch.mps.compile_shader(REDUCTIONS + SHADER)


def run(x, residual, keep, weight, bias):
    rows, columns = x.shape
    out, total = torch.empty_like(x), torch.empty_like(x)
    tensors = (x, residual, keep, weight, bias, out, total)
    numbers = (columns, 1 / 0.9, 1e-5)
    library().dropout_norm(*tensors, *numbers, threads=rows * THREADS, group_size=THREADS)
    return out, total

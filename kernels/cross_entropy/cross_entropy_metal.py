"""Cross-entropy in Metal: a group of threads a row, each with a maximum and a sum of its own."""

import functools
from pathlib import Path

import torch

THREADS = 256  # a group, in reductions.metal too; not tuned: there was no Mac to tune it on
REDUCTIONS = (Path(__file__).parents[1] / "reductions.metal").read_text()

SHADER = """
kernel void cross_entropy(
    device const float* logits,
    device const long* targets,
    device float* losses,
    constant long& columns,
    uint row [[threadgroup_position_in_grid]],
    uint thread_id [[thread_position_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd_group [[simdgroup_index_in_threadgroup]]
) {
    threadgroup float shared[THREADS / WIDTH];
    device const float* x = logits + row * columns;

    // Either the new value shrinks or the sum does: one exponential serves both. The first maximum
    // is no infinity, since the difference of two infinities is no number.
    float largest = -3.4e38f, total = 0;
    for (long i = thread_id; i < columns; i += THREADS) {
        const float smaller = exp(-abs(x[i] - largest));
        total = x[i] > largest ? total * smaller + 1 : total + smaller;
        largest = max(largest, x[i]);
    }
    const float overall = group_max(largest, shared, lane, simd_group);
    total = group_sum(total * exp(largest - overall), shared, lane, simd_group);
    if (thread_id == 0) losses[row] = overall + log(total) - x[targets[row]];
}
"""


@functools.cache
def library():
    return torch.mps.compile_shader(REDUCTIONS + SHADER)


def run(logits, targets):
    rows, columns = logits.shape
    losses = logits.new_empty(rows)
    library().cross_entropy(
        logits, targets, losses, columns, threads=rows * THREADS, group_size=THREADS
    )
    return losses.mean()

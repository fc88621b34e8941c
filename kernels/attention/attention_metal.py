"""Causal attention in Metal: a SIMD group a query, which meets one key after another."""

import functools
import math

import torch

SHADER = """
#include <metal_stdlib>
using namespace metal;

constant uint WIDTH = 32, MOST = 8;  // a thread holds up to 8 numbers: heads up to 256 wide

kernel void attention(
    device const float* q,
    device const float* k,
    device const float* v,
    device float* out,
    constant long& tokens,
    constant long& width,
    constant float& scale,
    uint2 group [[threadgroup_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]
) {
    const long row = group.x, start = group.y * tokens * width;
    device const float* query = q + start + row * width;
    const uint held = (width + WIDTH - 1) / WIDTH;
    float own[MOST], result[MOST] = {0};
    for (uint i = 0; i < held; ++i) {
        const long at = i * WIDTH + lane;
        own[i] = at < width ? query[at] * scale : 0.0f;
    }

    float largest = -3.4e38f, total = 0;
    for (long key = 0; key <= row; ++key) {
        const long here = start + key * width;
        float score = 0;
        for (uint i = 0; i < held; ++i) {
            const long at = i * WIDTH + lane;
            if (at < width) score += own[i] * k[here + at];
        }
        score = simd_sum(score);
        // what was summed before shrinks when a larger score turns up
        const float top = max(largest, score);
        const float shrink = exp(largest - top), weight = exp(score - top);
        total = total * shrink + weight;
        largest = top;
        for (uint i = 0; i < held; ++i) {
            const long at = i * WIDTH + lane;
            if (at < width) result[i] = result[i] * shrink + weight * v[here + at];
        }
    }
    for (uint i = 0; i < held; ++i) {
        const long at = i * WIDTH + lane;
        if (at < width) out[start + row * width + at] = result[i] / total;
    }
}
"""


@functools.cache
def library():
    return torch.mps.compile_shader(SHADER)


def run(q, k, v):
    batch, heads, tokens, width = q.shape
    out = torch.empty_like(q)
    # not tuned: there was no Mac to tune it on
    library().attention(
        q, k, v, out, tokens, width, 1 / math.sqrt(width),
        threads=(tokens * 32, batch * heads), group_size=(32, 1),
    )  # fmt: skip
    return out

"""A matrix product with weights of 8 bits in Metal: a SIMD group a column, for all tokens of it."""

import functools

import torch

TOKENS = 4  # sums that a thread holds, in the shader too; not tuned: there was no Mac to tune it on

SHADER = """
#include <metal_stdlib>
using namespace metal;

constant uint TOKENS = 4, WIDTH = 32;

kernel void int8_matmul(
    device const float* x,
    device const char* weight,
    device const float* scale,
    device float* out,
    constant long& tokens,
    constant long& inner,
    constant long& columns,
    uint2 group [[threadgroup_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]
) {
    const long column = group.x, first = group.y * TOKENS;
    float sums[TOKENS] = {0};
    // a weight is read and made a float once for TOKENS products
    for (long i = lane; i < inner; i += WIDTH) {
        const float wide = weight[column * inner + i];
        for (uint t = 0; t < TOKENS; ++t) {
            const long token = min(first + t, tokens - 1);  // beyond the last: not written
            sums[t] += x[token * inner + i] * wide;
        }
    }
    for (uint t = 0; t < TOKENS && first + t < tokens; ++t) {
        const float sum = simd_sum(sums[t]);
        if (lane == 0) out[(first + t) * columns + column] = sum * scale[column];
    }
}
"""


@functools.cache
def library():
    return torch.mps.compile_shader(SHADER)


def run(x, weight, scale):
    (tokens, inner), columns = x.shape, weight.shape[0]
    out = x.new_empty(tokens, columns)
    threads = (columns * 32, -(-tokens // TOKENS))
    library().int8_matmul(
        x, weight, scale, out, tokens, inner, columns, threads=threads, group_size=(32, 1)
    )
    return out

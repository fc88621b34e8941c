"""A matrix product with bias and GELU in Metal: SIMD groups multiply blocks of 8 x 8.

A SIMD group makes a tile of 32 x 32, in 16 registers of an 8 x 8 block each. What lies beyond the
matrices' ends is read as zero, through threadgroup memory.
"""

import functools

import torch

TILE = 32  # rows and columns of a group of 32 threads; not tuned: there was no Mac to tune it on

SHADER = """
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

constant uint TILE = 32, STEP = 32, WIDTH = 32, BLOCK = 8, BLOCKS = TILE / BLOCK;

// A tile of a matrix, whose rows are `inner` long, into threadgroup memory.
void read_tile(
    threadgroup float* tile, device const float* matrix, long row, long rows, long start,
    long inner, uint lane
) {
    for (uint i = 0; i < TILE; ++i) {
        const bool inside = row + i < rows && start + lane < inner;
        tile[i * STEP + lane] = inside ? matrix[(row + i) * inner + start + lane] : 0.0f;
    }
}

kernel void matmul(
    device const float* x,
    device const float* weight,
    device const float* bias,
    device float* out,
    constant long& rows,
    constant long& inner,
    constant long& columns,
    uint2 group [[threadgroup_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]
) {
    threadgroup float left[TILE * STEP], right[TILE * STEP];
    const long row = group.y * TILE, column = group.x * TILE;
    simdgroup_float8x8 result[BLOCKS][BLOCKS];
    for (uint i = 0; i < BLOCKS; ++i)
        for (uint j = 0; j < BLOCKS; ++j) result[i][j] = simdgroup_float8x8(0);

    for (long start = 0; start < inner; start += STEP) {
        read_tile(left, x, row, rows, start, inner, lane);
        read_tile(right, weight, column, columns, start, inner, lane);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint step = 0; step < STEP; step += BLOCK) {
            simdgroup_float8x8 a[BLOCKS], b[BLOCKS];
            for (uint i = 0; i < BLOCKS; ++i) {
                simdgroup_load(a[i], left + i * BLOCK * STEP + step, STEP);
                // the weights' rows are the product's columns: loaded transposed
                simdgroup_load(b[i], right + i * BLOCK * STEP + step, STEP, ulong2(0), true);
            }
            for (uint i = 0; i < BLOCKS; ++i)
                for (uint j = 0; j < BLOCKS; ++j)
                    simdgroup_multiply_accumulate(result[i][j], a[i], b[j], result[i][j]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }

    threadgroup float* tile = left;  // a thread then finishes a column
    for (uint i = 0; i < BLOCKS; ++i)
        for (uint j = 0; j < BLOCKS; ++j)
            simdgroup_store(result[i][j], tile + i * BLOCK * TILE + j * BLOCK, TILE);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (column + lane >= columns) return;
    for (uint i = 0; i < TILE && row + i < rows; ++i) {
        const float value = tile[i * TILE + lane] + bias[column + lane];
        const float twice = value * (1.5957691216f + 0.0713548163f * value * value);
        out[(row + i) * columns + column + lane] = value / (1 + exp(-twice));
    }
}
"""


@functools.cache
def library():
    return torch.mps.compile_shader(SHADER)


def run(x, weight, bias):
    (rows, inner), columns = x.shape, weight.shape[0]
    out = x.new_empty(rows, columns)
    across, down = -(-columns // TILE), -(-rows // TILE)
    numbers = (rows, inner, columns)
    library().matmul(
        x, weight, bias, out, *numbers, threads=(across * 32, down), group_size=(32, 1)
    )
    return out

"""A matrix product with weights of 8 bits, made wide in registers on their way to the product."""

import torch
import triton
import triton.language as tl


@triton.jit
def int8_kernel(
    x,
    weight,
    scale,
    out,
    tokens,
    inner,
    columns,
    TOKENS: tl.constexpr,
    COLUMNS: tl.constexpr,
    INNER: tl.constexpr,
    EVEN: tl.constexpr,
    PRECISION: tl.constexpr,
):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    token = tl.program_id(1) * TOKENS + tl.arange(0, TOKENS)
    step = tl.arange(0, INNER)
    weight_at = weight + (column % columns)[:, None].to(tl.int64) * inner + step[None, :]
    x_at = x + (token % tokens)[None, :].to(tl.int64) * inner + step[:, None]
    # weights are the left operand, which tensor cores take from registers: no way back to memory
    tile = tl.zeros([COLUMNS, TOKENS], tl.float32)
    for start in range(0, inner, INNER):
        if EVEN:
            w, values = tl.load(weight_at), tl.load(x_at)
        else:
            w = tl.load(weight_at, step[None, :] < inner - start, other=0)
            values = tl.load(x_at, step[:, None] < inner - start, other=0.0)
        tile = tl.dot(w.to(values.dtype), values, tile, input_precision=PRECISION)
        weight_at += INNER
        x_at += INNER
    tile *= tl.load(scale + column, column < columns).to(tl.float32)[:, None]
    at = token[None, :].to(tl.int64) * columns + column[:, None]
    tl.store(out + at, tile, (token < tokens)[None, :] & (column < columns)[:, None])


def run(x, weight, scale):
    (tokens, inner), columns = x.shape, weight.shape[0]
    out = x.new_empty(tokens, columns)
    # chosen for an H200: 64 columns are enough programs for all processors, and each keeps four
    # blocks of weights under way
    tile_columns, tile_tokens, step = 64, 16, 128
    grid = (triton.cdiv(columns, tile_columns), triton.cdiv(tokens, tile_tokens))
    precision = "tf32" if torch.backends.cuda.matmul.allow_tf32 else "ieee"
    int8_kernel[grid](
        x,
        weight,
        scale,
        out,
        tokens,
        inner,
        columns,
        TOKENS=tile_tokens,
        COLUMNS=tile_columns,
        INNER=step,
        EVEN=inner % step == 0,
        PRECISION=precision,
        num_warps=4,
        num_stages=4,
    )
    return out

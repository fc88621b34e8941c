"""Causal attention, one program a block of queries: see https://arxiv.org/abs/2307.08691."""

import math

import torch
import triton
import triton.language as tl


def config(queries, keys, warps, stages):
    return triton.Config({"QUERIES": queries, "KEYS": keys}, num_warps=warps, num_stages=stages)


# Tried on the device, for each shape and dtype; made for an H200. QUERIES is a multiple of KEYS, so
# that the diagonal begins with a block. What does not fit is left out: float32 takes more room.
CONFIGS = [
    config(128, 128, 8, 2),
    config(128, 64, 8, 3),
    config(64, 64, 4, 3),
    config(64, 32, 4, 2),
]


@triton.jit
def meet(
    query,
    largest,
    total,
    result,
    k,
    v,
    row,
    start,
    end,
    tokens,
    scale,
    KEYS: tl.constexpr,
    WIDTH: tl.constexpr,
    MASKED: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Queries meet the keys from `start` to `end`, a block at a time."""
    column = tl.arange(0, WIDTH)
    for first in range(start, end, KEYS):
        at = tl.multiple_of(first, KEYS) + tl.arange(0, KEYS)
        if MASKED:
            keys = tl.load(
                k + at[None, :] * WIDTH + column[:, None], at[None, :] < tokens, other=0.0
            )
        else:
            keys = tl.load(k + at[None, :] * WIDTH + column[:, None])
        score = tl.dot(query, keys, input_precision=PRECISION)
        if MASKED:
            score = tl.where(row[:, None] >= at[None, :], score, -float("inf"))
        # the scale is applied with the difference: one fused multiply-add a score
        new = tl.maximum(largest, tl.max(score, axis=1) * scale)
        weight = tl.exp2(score * scale - new[:, None])
        shrink = tl.exp2(largest - new)
        total = total * shrink + tl.sum(weight, axis=1)
        if MASKED:
            values = tl.load(
                v + at[:, None] * WIDTH + column[None, :], at[:, None] < tokens, other=0.0
            )
        else:
            values = tl.load(v + at[:, None] * WIDTH + column[None, :])
        result = result * shrink[:, None]
        result = tl.dot(weight.to(values.dtype), values, result, input_precision=PRECISION)
        largest = new
    return largest, total, result


@triton.autotune(CONFIGS if torch.cuda.is_available() else CONFIGS[:1], ["tokens"])
@triton.jit
def attention_kernel(
    q,
    k,
    v,
    out,
    tokens,
    scale,
    QUERIES: tl.constexpr,
    KEYS: tl.constexpr,
    WIDTH: tl.constexpr,
    PRECISION: tl.constexpr,
):
    # the last block of queries sees the most keys: it goes first, so that no long one ends alone
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * tokens * WIDTH
    row = block * QUERIES + tl.arange(0, QUERIES)
    here = head + row[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    query = tl.load(q + here, row[:, None] < tokens, other=0.0)

    largest = tl.full([QUERIES], -float("inf"), tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    result = tl.zeros([QUERIES, WIDTH], tl.float32)
    # keys before the block are seen by all its queries: only those on the diagonal need a mask
    diagonal = block * QUERIES
    largest, total, result = meet(
        query, largest, total, result, k + head, v + head, row, 0, diagonal, tokens, scale,
        KEYS, WIDTH, False, PRECISION,
    )  # fmt: skip
    end = min(diagonal + QUERIES, tokens)
    largest, total, result = meet(
        query, largest, total, result, k + head, v + head, row, diagonal, end, tokens, scale,
        KEYS, WIDTH, True, PRECISION,
    )  # fmt: skip
    tl.store(out + here, result / total[:, None], row[:, None] < tokens)


def run(q, k, v):
    batch, heads, tokens, width = q.shape
    out = torch.empty_like(q)
    scale = math.log2(math.e) / math.sqrt(width)  # e^x is 2^(x log2 e), which GPUs compute
    precision = "tf32" if torch.backends.cuda.matmul.allow_tf32 else "ieee"

    def grid(sizes):
        return triton.cdiv(tokens, sizes["QUERIES"]), batch * heads

    attention_kernel[grid](q, k, v, out, tokens, scale, WIDTH=width, PRECISION=precision)
    return out

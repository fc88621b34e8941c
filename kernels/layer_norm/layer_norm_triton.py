"""Layer norm, one program a row: mean and variance are sums over registers, not over memory."""

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x, weight, bias, out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, axis=0) / columns
    # the mean of (x - mean)^2: E[x^2] - mean^2 is one pass, and cancels where the mean is large
    centered = tl.where(inside, values - mean, 0.0)
    variance = tl.sum(centered * centered, axis=0) / columns
    scale = tl.load(weight + at, inside).to(tl.float32)  # the same for all rows: from the cache
    shift = tl.load(bias + at, inside).to(tl.float32)
    result = centered * tl.rsqrt(variance + eps) * scale + shift
    tl.store(out + row * columns + at, result, inside)


def run(x, weight, bias):
    rows, columns = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    warps = min(16, max(1, block // 1024))  # chosen for an H200
    layer_norm_kernel[(rows,)](x, weight, bias, out, columns, 1e-5, BLOCK=block, num_warps=warps)
    return out

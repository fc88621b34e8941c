"""Cross-entropy, one program a row: one pass, one exponential a number, aligned loads."""

import torch
import triton
import triton.language as tl

LEAST = tl.constexpr(-3.4e38)  # stands for -infinity where differences must not become NaN
HEAD = tl.constexpr(16)


@triton.jit
def take(value, largest, total):
    """Add e^value to a sum that is kept relative to the largest value so far.

    Either the new value shrinks or the sum does: one exponential serves both.
    """
    smaller = tl.exp(-tl.abs(value - largest))
    total = tl.where(value > largest, total * smaller + 1.0, total + smaller)
    return tl.maximum(value, largest), total


@triton.jit
def cross_entropy_kernel(logits, targets, losses, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    start = row * columns
    end = start + columns
    # With 50,257 columns most rows begin at an odd address, and a load of 16 bytes must not. So
    # whole blocks begin at the next multiple, and what is left at both ends is masked.
    first = tl.multiple_of((start + HEAD - 1) // HEAD * HEAD, HEAD)
    last = first + (end - first) // BLOCK * BLOCK
    at = tl.arange(0, BLOCK)

    largest = tl.full([BLOCK], LEAST, tl.float32)  # each lane keeps its own until the end
    total = tl.zeros([BLOCK], tl.float32)
    for block in range(first, last, BLOCK):
        value = tl.load(logits + tl.multiple_of(block, HEAD) + at).to(tl.float32)
        largest, total = take(value, largest, total)
    value = tl.load(logits + last + at, last + at < end, other=-float("inf")).to(tl.float32)
    largest, total = take(value, largest, total)

    head = start + tl.arange(0, HEAD)
    before = tl.load(logits + head, (head < first) & (head < end), other=-float("inf"))
    before = before.to(tl.float32)
    overall = tl.maximum(tl.max(largest, axis=0), tl.max(before, axis=0))
    sum_of_exp = tl.sum(total * tl.exp(largest - overall), axis=0)
    sum_of_exp += tl.sum(tl.exp(before - overall), axis=0)
    wanted = tl.load(logits + start + tl.load(targets + row)).to(tl.float32)
    tl.store(losses + row, overall + tl.log(sum_of_exp) - wanted)


def run(logits, targets):
    rows, columns = logits.shape
    losses = torch.empty(rows, device=logits.device, dtype=torch.float32)
    # chosen for an H200: two loads of 16 bytes a thread, and many programs on a processor
    cross_entropy_kernel[(rows,)](logits, targets, losses, columns, BLOCK=4096, num_warps=8)
    return losses.mean().to(logits.dtype)

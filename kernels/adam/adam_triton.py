"""Adam on all tensors in one launch: a table gives each program its piece of a tensor."""

import functools

import torch
import triton
import triton.language as tl

RATE, BETA1, BETA2, EPS, STEP = 1e-3, 0.9, 0.999, 1e-8, 10
PIECE = 1024  # chosen for an H200: eight numbers of each tensor a thread, and many pieces


@triton.jit
def update(parameter, gradient, mean, square, inside, beta1, beta2, eps, rate, correction):
    g = tl.load(gradient, inside)
    m = tl.load(mean, inside)
    m += (g - m) * (1 - beta1)
    s = tl.load(square, inside) * beta2 + g * g * (1 - beta2)
    p = tl.load(parameter, inside) - rate * m / (tl.sqrt(s) / correction + eps)
    tl.store(mean, m, inside)
    tl.store(square, s, inside)
    tl.store(parameter, p, inside)


@triton.jit
def adam_kernel(table, beta1, beta2, eps, rate, correction, PIECE: tl.constexpr):
    row = table + tl.program_id(0) * 5
    at = tl.arange(0, PIECE)
    floats: tl.constexpr = tl.pointer_type(tl.float32)
    parameter = tl.multiple_of(tl.load(row).to(floats), 16) + at
    gradient = tl.multiple_of(tl.load(row + 1).to(floats), 16) + at
    mean = tl.multiple_of(tl.load(row + 2).to(floats), 16) + at
    square = tl.multiple_of(tl.load(row + 3).to(floats), 16) + at
    count = tl.load(row + 4)
    if count == PIECE:  # without a mask, loads are 16 bytes wide
        update(parameter, gradient, mean, square, None, beta1, beta2, eps, rate, correction)
    else:
        inside = at < count
        update(parameter, gradient, mean, square, inside, beta1, beta2, eps, rate, correction)


@functools.lru_cache(maxsize=8)  # a training loop keeps its tensors: the table is made once
def table_of(pointers, counts, device):
    """Four addresses and a count for each piece of each tensor."""
    rows = [
        [*(base + 4 * start for base in bases), min(PIECE, count - start)]
        for bases, count in zip(zip(*pointers, strict=True), counts, strict=True)
        for start in range(0, count, PIECE)
    ]
    return torch.tensor(rows, dtype=torch.int64, device=device)


def run(parameters, gradients, means, squares):
    lists = (parameters, gradients, means, squares)
    pointers = tuple(tuple(tensor.data_ptr() for tensor in tensors) for tensors in lists)
    if any(pointer % 16 for column in pointers for pointer in column):
        raise ValueError("it reads 16 bytes at once: tensors must begin at a multiple of 16")
    counts = tuple(parameter.numel() for parameter in parameters)
    table = table_of(pointers, counts, parameters[0].device)
    rate, correction = RATE / (1 - BETA1**STEP), (1 - BETA2**STEP) ** 0.5
    numbers = (BETA1, BETA2, EPS, rate, correction)
    adam_kernel[(len(table),)](table, *numbers, PIECE=PIECE, num_warps=4)
    return parameters, means, squares

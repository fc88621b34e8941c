"""Causal attention: softmax(q k^T / sqrt(d)) v, where a token sees itself and those before it."""

import torch
import torch.nn.functional as F

from dynamo_lab.measure.cases import Case


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def inputs(device, dtype, batch, heads, tokens, width):
    shape = batch, heads, tokens, width
    return tuple(torch.randn(shape, device=device, dtype=dtype) for _ in range(3))


def arguments(q, k, v):
    batch, heads, tokens, width = q.shape
    given = {"q": q, "k": k, "v": v, "out": torch.empty_like(q)}
    return {**given, "heads": batch * heads, "tokens": tokens, "width": width}


def operations(q, k, v):
    pairs = q.shape[2] * (q.shape[2] + 1) // 2  # of a token with one it sees
    return 4 * q.shape[0] * q.shape[1] * pairs * q.shape[3]


case = Case(
    name="attention",
    title="causal attention",
    teaches="Flash attention: the square of scores is never written. A block of queries meets one "
    "block of keys after another, and rescales what it has when a larger score turns up.",
    eager=attention,
    inputs=inputs,
    sizes={
        "small": {"batch": 1, "heads": 2, "tokens": 77, "width": 64},
        "usual": {"batch": 1, "heads": 12, "tokens": 512, "width": 64},
        "large": {"batch": 2, "heads": 32, "tokens": 4096, "width": 128},
    },
    tolerance={"float32": (1e-4, 1e-5), "bfloat16": (1.6e-2, 1e-2), "float16": (2e-3, 2e-3)},
    flops=operations,
    arguments=arguments,
)

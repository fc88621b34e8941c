"""Softmax over the last dimension, as attention and every classifier uses it."""

import torch

from dynamo_lab.measure.cases import Case


def softmax(x):
    return torch.softmax(x, dim=-1)


def inputs(device, dtype, rows, columns):
    return (torch.randn(rows, columns, device=device, dtype=dtype),)


def arguments(x):
    rows, columns = x.shape
    return {"x": x, "out": torch.empty_like(x), "rows": rows, "columns": columns}


case = Case(
    name="softmax",
    title="softmax over the last dimension",
    teaches="A reduction is as fast as memory if a row is read once: keep it near, in registers or "
    "in the first cache, while its maximum, its sum and its result are worked out.",
    eager=softmax,
    inputs=inputs,
    sizes={
        "small": {"rows": 5, "columns": 77},
        "usual": {"rows": 2048, "columns": 2048},
        "large": {"rows": 8192, "columns": 4096},
    },
    tolerance={"float32": (1e-5, 1e-7), "bfloat16": (1.6e-2, 1e-5), "float16": (2e-3, 1e-5)},
    flops=lambda x: 5 * x.numel(),  # maximum, difference, exponential, sum, quotient
    arguments=arguments,
)

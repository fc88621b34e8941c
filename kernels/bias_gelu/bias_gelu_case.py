"""Bias and GELU, between the two matrix products of a transformer's MLP."""

import torch
import torch.nn.functional as F

from dynamo_lab.measure.cases import Case


def bias_gelu(x, bias):
    return F.gelu(x + bias, approximate="tanh")


def inputs(device, dtype, rows, columns):
    x = torch.randn(rows, columns, device=device, dtype=dtype)
    return x, torch.randn(columns, device=device, dtype=dtype)


def arguments(x, bias):
    rows, columns = x.shape
    return {"x": x, "bias": bias, "out": torch.empty_like(x), "rows": rows, "columns": columns}


case = Case(
    name="bias_gelu",
    title="bias and GELU",
    teaches="Fusing saves a pass over memory. And GELU's tanh is a sigmoid in disguise: "
    "(1 + tanh u) / 2 = 1 / (1 + e^-2u), one exponential and no tanh.",
    eager=bias_gelu,
    inputs=inputs,
    sizes={
        "small": {"rows": 5, "columns": 77},
        "usual": {"rows": 4096, "columns": 1024},
        "large": {"rows": 8192, "columns": 4096},
    },
    tolerance={"float32": (1e-5, 1e-6), "bfloat16": (1.6e-2, 1e-2), "float16": (2e-3, 2e-3)},
    flops=lambda x, bias: 10 * x.numel(),
    arguments=arguments,
)

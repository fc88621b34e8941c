"""Dropout, the residual connection and layer norm: what stands between a transformer's blocks.

Which elements are kept is an input, so that every way drops the same and can be compared.
"""

import torch
import torch.nn.functional as F

from dynamo_lab.measure.cases import Case

DROPPED = 0.1


def dropout_residual_norm(x, residual, keep, weight, bias):
    total = residual + x * keep / (1 - DROPPED)
    return F.layer_norm(total, weight.shape, weight, bias), total


def inputs(device, dtype, rows, columns):
    def normal(*shape):
        return torch.randn(*shape, device=device, dtype=dtype)

    keep = torch.rand(rows, columns, device=device) >= DROPPED
    x, residual = normal(rows, columns), normal(rows, columns)
    return x, residual, keep, normal(columns), normal(columns)


def arguments(x, residual, keep, weight, bias):
    rows, columns = x.shape
    given = {"x": x, "residual": residual, "keep": keep, "weight": weight, "bias": bias}
    new = {"out": torch.empty_like(x), "total": torch.empty_like(x)}
    return {**given, **new, "rows": rows, "columns": columns, "dropped": DROPPED}


case = Case(
    name="dropout_residual_norm",
    title="dropout, residual and layer norm",
    teaches="Fusion's gain grows with the chain: eager moves a tensor of this size eleven times, "
    "one kernel four times and a mask.",
    eager=dropout_residual_norm,
    inputs=inputs,
    sizes={
        "small": {"rows": 5, "columns": 77},
        "usual": {"rows": 2048, "columns": 1024},
        "large": {"rows": 8192, "columns": 4096},
    },
    tolerance={"float32": (1e-5, 1e-5), "bfloat16": (1.6e-2, 3e-2), "float16": (2e-3, 4e-3)},
    flops=lambda x, *_: 11 * x.numel(),
    arguments=arguments,
    results=("out", "total"),
)

"""Layer norm over the last dimension."""

import torch
import torch.nn.functional as F

from dynamo_lab.measure.cases import Case


def layer_norm(x, weight, bias):
    return F.layer_norm(x, weight.shape, weight, bias)


def inputs(device, dtype, rows, columns):
    def normal(*shape):
        return torch.randn(*shape, device=device, dtype=dtype)

    return normal(rows, columns), normal(columns), normal(columns)


def arguments(x, weight, bias):
    rows, columns = x.shape
    out = torch.empty_like(x)
    return {"x": x, "weight": weight, "bias": bias, "out": out, "rows": rows, "columns": columns}


case = Case(
    name="layer_norm",
    title="layer norm over the last dimension",
    teaches="Mean and variance need two passes for accuracy, and the second is free if the row is "
    "still in registers or in the first cache.",
    eager=layer_norm,
    inputs=inputs,
    sizes={
        "small": {"rows": 5, "columns": 77},
        "usual": {"rows": 4096, "columns": 1024},
        "large": {"rows": 8192, "columns": 4096},
    },
    tolerance={"float32": (1e-5, 1e-5), "bfloat16": (1.6e-2, 1e-2), "float16": (2e-3, 2e-3)},
    flops=lambda x, weight, bias: 8 * x.numel(),
    arguments=arguments,
)

"""RMS norm over the last dimension: layer norm without mean and bias."""

import torch
import torch.nn.functional as F

from dynamo_lab.measure.cases import Case


def rms_norm(x, weight):
    return F.rms_norm(x, weight.shape, weight, eps=1e-6)


def inputs(device, dtype, rows, columns):
    x = torch.randn(rows, columns, device=device, dtype=dtype)
    return x, torch.randn(columns, device=device, dtype=dtype)


def arguments(x, weight):
    rows, columns = x.shape
    out = torch.empty_like(x)
    return {"x": x, "weight": weight, "out": out, "rows": rows, "columns": columns}


case = Case(
    name="rms_norm",
    title="RMS norm over the last dimension",
    teaches="What eager runs as half a dozen operators reads and writes memory once.",
    eager=rms_norm,
    inputs=inputs,
    sizes={
        "small": {"rows": 5, "columns": 77},
        "usual": {"rows": 4096, "columns": 1024},
        "large": {"rows": 8192, "columns": 4096},
    },
    tolerance={"float32": (1e-5, 1e-5), "bfloat16": (1.6e-2, 1e-2), "float16": (2e-3, 2e-3)},
    flops=lambda x, weight: 4 * x.numel(),
    arguments=arguments,
)

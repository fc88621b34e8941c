"""A matrix product with bias and GELU: the first half of a transformer's MLP."""

import torch
import torch.nn.functional as F

from dynamo_lab.measure.cases import Case


def matmul_epilogue(x, weight, bias):
    return F.gelu(F.linear(x, weight, bias), approximate="tanh")


def inputs(device, dtype, rows, inner, columns):
    def normal(*shape):
        return torch.randn(*shape, device=device, dtype=dtype)

    return normal(rows, inner), normal(columns, inner) / inner**0.5, normal(columns)


def arguments(x, weight, bias):
    (rows, inner), columns = x.shape, weight.shape[0]
    given = {"x": x, "weight": weight, "bias": bias, "out": x.new_empty(rows, columns)}
    return {**given, "rows": rows, "inner": inner, "columns": columns}


case = Case(
    name="matmul_epilogue",
    title="matrix product with bias and GELU",
    teaches="A tile of the result is finished in registers: bias and GELU cost no pass over "
    "memory. Whether that pays depends on how near the product is to the library's.",
    eager=matmul_epilogue,
    inputs=inputs,
    sizes={
        "small": {"rows": 37, "inner": 77, "columns": 45},
        "usual": {"rows": 512, "inner": 768, "columns": 3072},
        "large": {"rows": 4096, "inner": 2048, "columns": 8192},
    },
    tolerance={"float32": (1e-4, 1e-4), "bfloat16": (1.6e-2, 2e-2), "float16": (2e-3, 4e-3)},
    flops=lambda x, weight, bias: 2 * x.numel() * weight.shape[0],
    arguments=arguments,
)

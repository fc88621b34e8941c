"""A matrix product with weights of 8 bits, for few tokens: what generating text spends its time on.

Each row of `weight` has a `scale`: the weight it stands for is their product.
"""

import torch

from dynamo_lab.measure.cases import Case


def int8_matmul(x, weight, scale):
    return x @ weight.to(x.dtype).T * scale


def inputs(device, dtype, tokens, inner, columns):
    x = torch.randn(tokens, inner, device=device, dtype=dtype)
    weight = torch.randint(-127, 128, (columns, inner), device=device, dtype=torch.int8)
    scale = torch.rand(columns, device=device, dtype=dtype) / (64 * inner**0.5)
    return x, weight, scale


def arguments(x, weight, scale):
    (tokens, inner), columns = x.shape, weight.shape[0]
    given = {"x": x, "weight": weight, "scale": scale, "out": x.new_empty(tokens, columns)}
    return {**given, "tokens": tokens, "inner": inner, "columns": columns}


case = Case(
    name="int8_matmul",
    title="matrix product with 8-bit weights",
    teaches="With few tokens the time is that of reading the weights. Made wide in registers, they "
    "are read as bytes; made wide by an operator before, they are read, written and read again.",
    eager=int8_matmul,
    inputs=inputs,
    sizes={
        "small": {"tokens": 3, "inner": 77, "columns": 45},
        "usual": {"tokens": 8, "inner": 4096, "columns": 4096},
        "large": {"tokens": 16, "inner": 8192, "columns": 16384},
    },
    tolerance={"float32": (1e-4, 1e-4), "bfloat16": (1.6e-2, 2e-2), "float16": (2e-3, 4e-3)},
    flops=lambda x, weight, scale: 2 * x.numel() * weight.shape[0],
    arguments=arguments,
)

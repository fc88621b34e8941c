"""A step of Adam on all parameters of a model, in place, as `torch.optim.Adam(foreach=True)`."""

import torch

from dynamo_lab.measure.cases import Case

RATE, BETA1, BETA2, EPS, STEP = 1e-3, 0.9, 0.999, 1e-8, 10
CORRECTION1, CORRECTION2 = 1 - BETA1**STEP, 1 - BETA2**STEP


def adam(parameters, gradients, means, squares):
    torch._foreach_lerp_(means, gradients, 1 - BETA1)
    torch._foreach_mul_(squares, BETA2)
    torch._foreach_addcmul_(squares, gradients, gradients, 1 - BETA2)
    denominators = torch._foreach_sqrt(squares)
    torch._foreach_div_(denominators, CORRECTION2**0.5)
    torch._foreach_add_(denominators, EPS)
    torch._foreach_addcdiv_(parameters, means, denominators, -RATE / CORRECTION1)
    return parameters, means, squares


def inputs(device, dtype, width, blocks):
    """The shapes of a transformer's parameters."""
    norms = [(width,)] * 4
    matrices = [(3 * width, width), (width, width), (4 * width, width), (width, 4 * width)]
    biases = [(3 * width,), (width,), (4 * width,), (width,)]
    shapes = [*norms, *matrices, *biases] * blocks

    def tensors():
        return [torch.randn(shape, device=device, dtype=dtype) for shape in shapes]

    return tensors(), tensors(), tensors(), [square.square_() for square in tensors()]


def arguments(parameters, gradients, means, squares):
    given = {"parameters": parameters, "gradients": gradients, "means": means, "squares": squares}
    counts = [parameter.numel() for parameter in parameters]
    numbers = {"beta1": BETA1, "beta2": BETA2, "eps": EPS, "rate": RATE / CORRECTION1}
    sizes = {"counts": counts, "tensors": len(counts)}
    return {**given, **numbers, **sizes, "correction": CORRECTION2**0.5}


def elements(parameters):
    return sum(parameter.numel() for parameter in parameters)


case = Case(
    name="adam",
    title="a step of Adam on all parameters",
    teaches="Launches count too: a model has hundreds of small tensors. One kernel takes them all, "
    "from a table of pointers, and reads four and writes three numbers an element.",
    eager=adam,
    inputs=inputs,
    sizes={
        "small": {"width": 13, "blocks": 2},
        "usual": {"width": 768, "blocks": 1},
        "large": {"width": 768, "blocks": 4},
    },
    tolerance={"float32": (1e-5, 1e-6)},
    flops=lambda parameters, *_: 13 * elements(parameters),
    arguments=arguments,
    results=("parameters", "means", "squares"),
    gpu_dtype="float32",
)

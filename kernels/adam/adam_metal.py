"""Adam in Metal: a launch a tensor, since a shader takes no table of buffers through PyTorch."""

import functools

import torch

RATE, BETA1, BETA2, EPS, STEP = 1e-3, 0.9, 0.999, 1e-8, 10

SHADER = """
#include <metal_stdlib>
using namespace metal;

kernel void adam(
    device float* parameter,
    device const float* gradient,
    device float* mean,
    device float* square,
    constant float& beta1,
    constant float& beta2,
    constant float& eps,
    constant float& rate,
    constant float& correction,
    uint i [[thread_position_in_grid]]
) {
    const float g = gradient[i];
    const float m = mean[i] + (g - mean[i]) * (1 - beta1);
    const float s = square[i] * beta2 + g * g * (1 - beta2);
    mean[i] = m;
    square[i] = s;
    parameter[i] -= rate * m / (precise::sqrt(s) / correction + eps);
}
"""


@functools.cache
def library():
    return torch.mps.compile_shader(SHADER)


def run(parameters, gradients, means, squares):
    rate, correction = RATE / (1 - BETA1**STEP), (1 - BETA2**STEP) ** 0.5
    for tensors in zip(parameters, gradients, means, squares, strict=True):
        numbers = (BETA1, BETA2, EPS, rate, correction)
        library().adam(*tensors, *numbers, threads=tensors[0].numel())
    return parameters, means, squares

# %% 15.1
kernels = 5  # x * 2, the maximum, the exponentials, the sum, the quotient


# %% 15.2
C["max"] = "{0} > {1} || {0} != {0} ? {0} : {1}"


# %% 15.3
from math import prod


def layer_norm(x, shape, weight, bias, eps):
    """Layer norm, and what its backward needs: the mean, and 1 / standard deviation."""
    dims = list(range(-len(shape), 0))
    mean = x.sum(dims, keepdim=True) / prod(shape)
    centred = x - mean
    variance = (centred * centred).sum(dims, keepdim=True) / prod(shape)
    rstd = torch.rsqrt(variance + eps)
    normed = centred * rstd
    normed = normed if weight is None else normed * weight
    return normed if bias is None else normed + bias, mean, rstd


DECOMPOSITIONS[aten.native_layer_norm.default] = layer_norm

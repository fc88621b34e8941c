# %% 15.1: It is not 1
kernels = 1


# %% 15.1: It is not 6
kernels = 6


# %% 15.1: A whole number is needed
kernels = [5]


# %% 15.2: A row with a NaN first: it computes something other
C["max"] = "{0} > {1} ? {0} : {1}"


# %% 15.2: A row with a NaN first: it computes something other
C["max"] = "fmaxf({0}, {1})"


# %% 15.2: A row with a NaN first: it computes something other
C["max"] = "{0} < {1} ? {1} : {0}"


# %% 15.2: Of plain numbers: it computes something other
C["max"] = "{0} != {0} || {0} < {1} ? {0} : {1}"


# %% 15.2: The C compiler refused a kernel
C["max"] = "max({0}, {1}"


# %% 15.3: There is no answer yet
def layer_norm(x, shape, weight, bias, eps):
    return ...


DECOMPOSITIONS[aten.native_layer_norm.default] = layer_norm


# %% 15.3: With a weight, a bias and eps = 0.1: it computes something other
from math import prod


def layer_norm(x, shape, weight, bias, eps):
    dims = list(range(-len(shape), 0))
    mean = x.sum(dims, keepdim=True) / prod(shape)
    rstd = torch.rsqrt(((x - mean) * (x - mean)).sum(dims, keepdim=True) / prod(shape) + eps)
    return (x - mean) * rstd, mean, rstd  # without weight and bias


DECOMPOSITIONS[aten.native_layer_norm.default] = layer_norm


# %% 15.3: Of numbers around 3,000 it is off by
from math import prod


def layer_norm(x, shape, weight, bias, eps):
    dims = list(range(-len(shape), 0))
    mean = x.sum(dims, keepdim=True) / prod(shape)
    rstd = torch.rsqrt((x * x).sum(dims, keepdim=True) / prod(shape) - mean * mean + eps)
    out = (x - mean) * rstd
    out = out if weight is None else out * weight
    return out if bias is None else out + bias, mean, rstd


DECOMPOSITIONS[aten.native_layer_norm.default] = layer_norm


# %% 15.3: Without a weight: it computes something other
from math import prod


def layer_norm(x, shape, weight, bias, eps):
    dims = list(range(-len(shape), 0))
    mean = x.sum(dims, keepdim=True) / prod(shape)
    variance = ((x - mean) * (x - mean)).sum(dims, keepdim=True) / (prod(shape) - 1)
    rstd = torch.rsqrt(variance + eps)
    out = (x - mean) * rstd
    out = out if weight is None else out * weight
    return out if bias is None else out + bias, mean, rstd


DECOMPOSITIONS[aten.native_layer_norm.default] = layer_norm


# %% 15.3: Over two dimensions: it computes something other
def layer_norm(x, shape, weight, bias, eps):
    mean = x.sum(-1, keepdim=True) / shape[-1]
    rstd = torch.rsqrt(((x - mean) * (x - mean)).sum(-1, keepdim=True) / shape[-1] + eps)
    out = (x - mean) * rstd
    out = out if weight is None else out * weight
    return out if bias is None else out + bias, mean, rstd


DECOMPOSITIONS[aten.native_layer_norm.default] = layer_norm

# %% 17.1: Not gelu
parts = {"matrix products", "gelu"}


# %% 17.1: Not layer norm
parts = {"softmax", "layer norm"}


# %% 17.1: All of these are ATen's
parts = set()


# %% 17.1: Choose of
parts = {"addmm"}


# %% 17.2: Rows of 5 negative numbers, in blocks of 8
def whole(join, value, start):
    return WHOLE[join].format(value)


# %% 17.2: `amax`: it computes something other
def whole(join, value, start):
    return WHOLE[join].format(f"tl.where(inside, {value}, 0.0)")


# %% 17.2: `sum_1`: it computes something other
def whole(join, value, start):
    return WHOLE[join].format(f'tl.where(inside, {value}, float("-inf"))')


# %% 17.2: Triton refused the kernel
def whole(join, value, start):
    return WHOLE[join].format(f"where(inside, {value}, {start})")


# %% 17.3: There is no answer yet
def softmax_backward(grad, out, dim, dtype):
    return ...


TRAINING[aten._softmax_backward_data.default] = softmax_backward


# %% 17.3: The gradient of softmax over dimension -1: it is something other
def softmax_backward(grad, out, dim, dtype):
    return out * (grad - grad.sum(dim, keepdim=True))


TRAINING[aten._softmax_backward_data.default] = softmax_backward


# %% 17.3: The gradient of softmax over dimension 0: it is something other
def softmax_backward(grad, out, dim, dtype):
    return out * (grad - (grad * out).sum(-1, keepdim=True))


TRAINING[aten._softmax_backward_data.default] = softmax_backward


# %% 17.3: `_softmax_backward_data` is still a call of ATen
TRAINING.pop(aten._softmax_backward_data.default, None)

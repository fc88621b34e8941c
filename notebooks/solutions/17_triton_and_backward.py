# %% 17.1
parts = {"matrix products"}


# %% 17.2
def whole(join, value, start):
    """A block joined into one value; what is beyond the row does not count."""
    return WHOLE[join].format(f"tl.where(inside, {value}, {start})")


# %% 17.3
def softmax_backward(grad, out, dim, dtype):
    """The gradient of softmax."""
    return out * (grad - (grad * out).sum(dim, keepdim=True))


TRAINING[aten._softmax_backward_data.default] = softmax_backward

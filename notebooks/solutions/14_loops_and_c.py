# %% 14.1
kernels = 2  # c, which two nodes use, and the result


# %% 14.2
def fit(index, shape):
    """Where an operand's element is: its dimensions are the last ones, and size 1 is repeated."""
    last = index[len(index) - len(shape) :]
    return tuple(0 if size == 1 else i for i, size in zip(last, shape, strict=True))


# %% 14.3
def leaky_relu(x, slope=0.01):
    return apply("where", apply("gt", x, 0), x, apply("mul", x, slope))


RULES[aten.leaky_relu.default] = leaky_relu


# %% 14.4
class Count:
    def __init__(self):
        self.operations = self.loads = 0

    def __call__(self, name, *values):
        self.operations += 1

    def number(self, value):
        pass

    def load(self, node, index):
        self.loads += 1

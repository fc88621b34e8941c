# %% 1.1
operators = 10

# %% 1.2
inputs = {"x", "weight", "bias"}


# %% 1.3
def scaled(x, a, b):
    return x * (a * b * 2)


# %% 1.4
frames = 2

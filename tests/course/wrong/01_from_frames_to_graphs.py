# %% 1.1: How often does the loop's body run?
operators = 4

# %% 1.1: taking a slice of a tensor
operators = 7

# %% 1.1: It is not 12
operators = 12

# %% 1.2: is not a tensor
inputs = {"x", "weight", "bias", "power"}

# %% 1.2: from elsewhere than the arguments
inputs = ["x", "weight"]

# %% 1.2: Not all are there: a tensor comes
inputs = {"x"}

# %% 1.2: Not all are there: which tensors
inputs = {"bias"}

# %% 1.2: Pass a set of names
inputs = "x, weight, bias"


# %% 1.2: These are the names to choose from
inputs = {"x", "weight", "bias", "h"}


# %% 1.3: It computes something other than the original
def scaled(x, a, b):
    return x * (a + b) * 2


# %% 1.3: The graph has 2 operators
def scaled(x, a, b):
    return x * (a * b) * 2


# %% 1.3: The graph has 2 operators
def scaled(x, a, b):
    return x * torch.tensor(a * b * 2.0)


# %% 1.4: what runs the rest of the function?
frames = 1

# %% 1.4: it is inlined
frames = 4

# %% 1.4: It is not 0
frames = 0

# %% 6.1: Line 2, `a = x * 2`, is not in memory
stored = {2, 3, 4, 5, 6, 7, 8}


# %% 6.1: Line 3, `b = torch.relu(a + 1)`, is not in memory
stored = {3, 4, 5, 7, 8}


# %% 6.1: All of these are in memory, but so is what another line computes
stored = {8}


# %% 6.1: A set of line numbers is needed
stored = 4


# %% 6.2: a kernel of PyTorch's
def stretch(x):
    low, high = x.topk(1, largest=False).values, x.topk(1).values
    return (x - low) / (high - low)


# %% 6.2: It computes something other than the original
def stretch(x):
    low, high = x.amin(), x.amax()
    return (x - low) / (high - low)


# %% 6.2: It breaks
def stretch(x):
    low, high = torch.compiler.disable(torch.aminmax)(x, dim=-1, keepdim=True)
    return (x - low) / (high - low)


# %% 6.2: It computes something other than the original
def stretch(x):
    return x * 0


# %% 6.2: when it is called again
before = []


def stretch(x):
    before.append(1)
    if len(before) < 5:
        ordered = x.sort(dim=-1).values
        return (x - ordered[:, :1]) / (ordered[:, -1:] - ordered[:, :1])
    low, high = x.amin(-1, keepdim=True), x.amax(-1, keepdim=True)
    return (x - low) / (high - low)


# %% 6.3: a smaller value does it too
def smallest(recording):
    return 16


# %% 6.3: a smaller value does it too
def smallest(recording):
    return 4  # right for one of the programs


# %% 6.3: too few may be together
def smallest(recording):
    return len(recording.kernels)


# %% 6.3: A whole number is needed
def smallest(recording):
    return "all"


# %% 6.3: A function is needed
smallest = 4

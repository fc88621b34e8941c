# %% 2.1: It computes something else than the original
def choose(x):
    return x * 2


# %% 2.1: It still breaks
def choose(x):
    if x.sum().item() > 0:
        return x * 2
    return x - 1

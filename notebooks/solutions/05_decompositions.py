# %% 5.1
calls = len(lab.decompose("aten.hardswish", x.half(), to="prims").leaves)


# %% 5.2
def longest(names, x):
    return max(names, key=lambda name: len(lab.decompose(name, x, to="prims").leaves))


# %% 5.3
def bent_rule(x):
    return (torch.sqrt(x * x + 1) - 1) / 2 + x

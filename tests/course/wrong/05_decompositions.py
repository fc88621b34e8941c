# %% 5.1: That is the number on float32
calls = len(lab.decompose("aten.hardswish", x, to="prims").leaves)


# %% 5.1: several are called more than once
calls = len(lab.decompose("aten.hardswish", x.half(), to="prims").counts)


# %% 5.1: That is the number in core ATen
calls = len(lab.decompose("aten.hardswish", x.half(), to="core_aten").leaves)


# %% 5.2: it gives aten.log_sigmoid
def longest(names, x):
    return max(names, key=len)


# %% 5.2: it gives aten.mish
def longest(names, x):
    return min(names, key=len)


# %% 5.2: it gives aten.mish
def longest(names, x):
    return max(names)


# %% 5.2: But aten.mish becomes
def longest(names, x):
    return max(names, key=lambda name: len(lab.decompose(name, x).leaves))


# %% 5.2: But aten.mish becomes
def longest(names, x):
    return max(names, key=lambda name: len(lab.decompose(name, x, to="prims").counts))


# %% 5.2: which is not one of
def longest(names, x):
    return max(len(lab.decompose(name, x, to="prims").leaves) for name in names)


# %% 5.3: It cannot be traced
def bent_rule(x):
    import numpy as np

    a = x.numpy()
    return torch.from_numpy((np.sqrt(a * a + 1) - 1) / 2 + a)


# %% 5.3: It computes something other than the original
seen = []


def bent_rule(x):
    seen.append(1)
    return (torch.sqrt(x * x + 1) - 1) / 2 + x if len(seen) == 1 else x


# %% 5.3: It computes something other than the original
def bent_rule(x):
    return torch.sqrt(x * x + 1) + x


# %% 5.3: an operator that no rule decomposes
# Defined once: one that is defined anew while it is traced leaves the graph one that is gone.
@torch.library.custom_op("notebook::half_bent", mutates_args=())
def half(x: torch.Tensor) -> torch.Tensor:
    return (torch.sqrt(x * x + 1) - 1) / 2


half.register_fake(torch.empty_like)


def bent_rule(x):
    return half(x) + x

# %% 4.1: Line 3 saves nothing, large as its values are
line = 3


# %% 4.1: Line 2 saves 65.5 kB, but another line saves more
line = 2


# %% 4.1: A whole number is needed
line = "g = torch.dropout(s, 0.5, True)"


# %% 4.2: It no longer depends on all of its inputs
def light(x, w):
    for _ in range(3):
        x = torch.tanh(x.detach() @ w)
    return x.square().mean()


# %% 4.2: No gradient flows through
@torch.no_grad()
def light(x, w):
    return deep(x, w)


# %% 4.2: It computes something other than the original
def light(x, w):
    return torch.tanh(x @ w).square().mean()


# %% 4.2: Compiled, it computes something other than the original
def light(x, w):
    if torch.compiler.is_compiling():
        return (x @ w).sum()
    return deep(x, w)


# %% 4.2: so at most
def light(x, w):
    for _ in range(3):
        x = checkpoint(lambda y: torch.tanh(y @ w), x, use_reentrant=False)
    return x.square().mean()


# %% 4.2: but not all of it is compiled
def light(x, w):
    return torch.compiler.disable(deep)(x, w)


# %% 4.3: That fits, but computes
def choose_budget(recording, limit):
    return 0.0


# %% 4.3: that does not fit
def choose_budget(recording, limit):
    return min(row.budget for row in recording.repartition().rows if row.activation_bytes >= limit)


# %% 4.3: That fits, but computes
def choose_budget(recording, limit):
    return min(row.budget for row in recording.repartition().rows if row.activation_bytes <= limit)


# %% 4.3: not one of
def choose_budget(recording, limit):
    return limit

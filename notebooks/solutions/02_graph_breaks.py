# %% 2.1
def choose(x):
    return torch.where(x.sum() > 0, x * 2, x - 1)

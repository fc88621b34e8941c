# %% 2.1
def choose(x):
    return torch.where(x.sum() > 0, x * 2, x - 1)


# %% 2.2
def normalize(x):
    return x / x.abs().max()


# %% 2.3
def layer(x, weight):
    h = x @ weight
    return torch.relu(h), h.mean()


# %% 2.4
@torch.library.custom_op("lesson::complexity", mutates_args=())
def complexity_operator(x: torch.Tensor) -> torch.Tensor:
    return complexity(x)


@complexity_operator.register_fake
def _(x):
    return x.new_empty(x.shape[0])


def weigh(x):
    return x / complexity_operator(x)[:, None]


# %% 2.5
def mean_of_positives(x):
    positive = x > 0
    return torch.where(positive, x, 0).sum() / positive.sum()


# %% 2.6
def step(a, v):
    w = a @ v
    w = w / w.norm()
    return w, (w - v).abs().max()

# %% 2.1: It computes something other than the original
def choose(x):
    return x * 2


# %% 2.1: It breaks at
def choose(x):
    if x.sum().item() > 0:
        return x * 2
    return x - 1


# %% 2.1: It computes something other than the original
def choose(x):
    return torch.where(x > 0, x * 2, x - 1)


# %% 2.1: Compiled, it computes something other than the original
def choose(x):
    if torch.compiler.is_compiling():
        return x * 5
    return x * 2 if x.sum() > 0 else x - 1


# %% 2.1: It computes something other than the original
turns = [0]


def choose(x):
    turns[0] += 1
    even = turns[0] % 2 == 0
    return x - 1 if even else x * 2


# %% 2.2: It breaks at
def normalize(x):
    return x / float(x.abs().max())


# %% 2.2: It computes something other than the original
def normalize(x):
    return x / x.max()


# %% 2.3: What was printed is lost
def layer(x, weight):
    return torch.relu(x @ weight)


# %% 2.3: It breaks at
def layer(x, weight):
    h = x @ weight
    result = torch.relu(h)
    print("mean of h:", h.mean())
    return result


# %% 2.3: It computes something other than the original
def layer(x, weight):
    h = torch.relu(x @ weight)
    return h, h.mean()


# %% 2.3: Compiled, it computes something other than the original
def layer(x, weight):
    h = x @ weight
    return h if torch.compiler.is_compiling() else torch.relu(h), h.mean()


# %% 2.4: It breaks at
complexity_left_out = torch.compiler.disable(complexity)


def weigh(x):
    return x / complexity_left_out(x)[:, None]


# %% 2.4: does not know what your operator returns
@torch.library.custom_op("lesson::no_fake", mutates_args=())
def no_fake(x: torch.Tensor) -> torch.Tensor:
    return complexity(x)


def weigh(x):
    return x / no_fake(x)[:, None]


# %% 2.4: what `register_fake` returns must have the shape
@torch.library.custom_op("lesson::other_shape", mutates_args=())
def other_shape(x: torch.Tensor) -> torch.Tensor:
    return complexity(x)


@other_shape.register_fake
def _(x):
    return torch.empty_like(x)


def weigh(x):
    return x / other_shape(x)[:, None]


# %% 2.4: the type torch.float64
@torch.library.custom_op("lesson::other_type", mutates_args=())
def other_type(x: torch.Tensor) -> torch.Tensor:
    return complexity(x)


@other_type.register_fake
def _(x):
    return torch.empty(x.shape[0], dtype=torch.float64, device=x.device)


def weigh(x):
    return x / other_type(x)[:, None]


# %% 2.4: The graph does not contain your operator
def weigh(x):
    return x / (x.sum(1) + 8)[:, None]


# %% 2.5: It breaks at
def mean_of_positives(x):
    return torch.masked_select(x, x > 0).mean()


# %% 2.5: It computes something other than the original
def mean_of_positives(x):
    return torch.where(x > 0, x, 0).mean()


# %% 2.6: It breaks at
def step(a, v):
    w = a @ v
    w = w / w.norm()
    return w, (w - v).abs().max().item()


# %% 2.6: Compiled, it computes something other than the original
def step(a, v):
    w = a @ v
    w = w / w.norm()
    if torch.compiler.is_compiling():
        return v, w.sum()
    return w, (w - v).abs().max()


# %% 2.6: Return two values
def step(a, v):
    w = a @ v
    return w / w.norm()


# %% 2.6: It computes something other than the original
def step(a, v):
    w = a @ v
    return w, (w - v).abs().max()


# %% 2.6: It breaks at
def step(a, v):
    for _ in range(50):
        w = a @ v
        w = w / w.norm()
        if (w - v).abs().max() < 1e-4:
            break
        v = w
    return w, (w - v).abs().max()

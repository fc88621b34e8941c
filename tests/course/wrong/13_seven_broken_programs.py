# %% 13.1: It computes something other
def spread_mended(x):
    return x.var(-1)


# %% 13.1: wrong by
def spread_mended(x):
    return (x * x).mean(-1) - x.mean(-1) ** 2


# %% 13.2: It breaks at
def clipped_mended(g):
    norm = g.norm().item()
    return g / max(norm, 1.0)


# %% 13.2: It computes something other
def clipped_mended(g):
    return g / g.norm()


# %% 13.3: Call 2 gives other numbers
class WarmupMended(Warmup):
    def forward(self, x):
        return self.linear(x) * 0.25


# %% 13.3: Call 5 gives other numbers
class WarmupMended(Warmup):
    def __init__(self):
        super().__init__()
        del self.step
        self.register_buffer("step", torch.tensor(0.0))

    def forward(self, x):
        self.step += 1
        return self.linear(x) * self.step / 4


# %% 13.3: A class of modules is needed
def WarmupMended():
    return lambda x: x


# %% 13.4: a loop is unrolled
def distances_mended(x):
    return torch.stack([(x - x[at]).square().sum(-1) for at in range(len(x))])


# %% 13.4: It computes something other
def distances_mended(x):
    return torch.cdist(x, x)


# %% 13.5: still computed in float64
class WindowedMended(Windowed):
    def forward(self, x):
        return super().forward(x).float()


# %% 13.5: Its numbers differ
class WindowedMended(Windowed):
    def __init__(self):
        super().__init__()
        self.window = torch.ones(64)


# %% 13.6: still in memory
def mixed_mended(q, k, v, sharpness):
    weights = torch.softmax(q * sharpness @ k.mT, -1)
    return torch.matmul(weights, v)


# %% 13.6: It computes something other
def mixed_mended(q, k, v, sharpness):
    return nn.functional.scaled_dot_product_attention(
        q * sharpness, k, v, scale=1.0, is_causal=True
    )


# %% 13.7: It does not export
class ClassifierMended(Classifier):
    def forward(self, images):
        return self.linear(images.reshape(int(images.shape[0]), 48)[:4])


# %% 13.7: For 4 images it gives other numbers
class ClassifierMended(Classifier):
    def forward(self, images):
        return self.linear(images.flatten(1)) * 2

# %% 13.1
def spread_mended(x):
    return (x - x.mean(-1, keepdim=True)).square().mean(-1)


# %% 13.2
def clipped_mended(g):
    return g / g.norm().clamp(min=1)


# %% 13.3
class WarmupMended(Warmup):
    def __init__(self):
        super().__init__()
        del self.step
        self.register_buffer("step", torch.tensor(0.0))

    def forward(self, x):
        self.step += 1
        return self.linear(x) * (self.step / 4).clamp(max=1)


# %% 13.4
def distances_mended(x):
    return (x[:, None] - x).square().sum(-1)


# %% 13.5
class WindowedMended(Windowed):
    def __init__(self):
        super().__init__()
        self.window = self.window.float()


# %% 13.6
def mixed_mended(q, k, v, sharpness):
    return nn.functional.scaled_dot_product_attention(q * sharpness, k, v, scale=1.0)


# %% 13.7
class ClassifierMended(Classifier):
    def forward(self, images):
        return self.linear(images.flatten(1))

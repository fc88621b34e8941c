# %% 12.1: kernel calls, but 5 are allowed
class Together(Unchecked):
    pass


# %% 12.1: Its numbers differ
class Together(Attention):
    def forward(self, x):
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        out = F.scaled_dot_product_attention(q, k, v)
        return self.out(out.transpose(1, 2).flatten(2))


# %% 12.1: Its numbers differ
class Together(Attention):
    def forward(self, x):
        b, t, w = x.shape
        q, k, v = (
            p.reshape(b, self.heads, t, w // self.heads) for p in self.qkv(x).chunk(3, dim=-1)
        )
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(out.reshape(b, t, w))


# %% 12.2: `calls` is 0 after 4 calls
class Counted(Slow):
    def forward(self, tokens):
        x = self.embed(tokens) * (tokens != 0).unsqueeze(-1)
        x = x + self.attention(self.normed(x))
        x = x + self.down(F.gelu(self.up(self.normed(x))))
        return self.head(x).log_softmax(-1)


# %% 12.2: It is recompiled. The guard that failed: self.calls
class Counted(Slow):
    def forward(self, tokens):
        self.calls += 1
        self.longest = (tokens != 0).sum(-1).max()
        x = self.embed(tokens) * (tokens != 0).unsqueeze(-1)
        x = x + self.attention(self.normed(x))
        x = x + self.down(F.gelu(self.up(self.normed(x))))
        return self.head(x).log_softmax(-1)


# %% 12.2: `longest` is
class Counted(Slow):
    def __init__(self):
        super().__init__()
        del self.calls, self.longest
        self.register_buffer("calls", torch.tensor(0))
        self.register_buffer("longest", torch.tensor(0))

    def forward(self, tokens):
        self.calls += 1
        self.longest = (tokens != 0).sum(-1).max()
        x = self.embed(tokens) * (tokens != 0).unsqueeze(-1)
        x = x + self.attention(self.normed(x))
        x = x + self.down(F.gelu(self.up(self.normed(x))))
        return self.head(x).log_softmax(-1)


# %% 12.3: It is recompiled
class Fast(Slow):
    def forward(self, tokens):
        x = self.embed(tokens) * (tokens != 0).unsqueeze(-1)
        x = x + self.attention(self.normed(x))
        x = x + self.down(F.gelu(self.up(self.normed(x))))
        return self.head(x).log_softmax(-1)


def fast(slow):
    new = Fast()
    new.attention = Together(32, 4)
    new.load_state_dict(slow.state_dict(), strict=False)
    return torch.compile(new)


# %% 12.3: kernel calls, but 12 are allowed
def fast(slow):
    new = Fast()
    new.attention = Unchecked(32, 4)
    new.load_state_dict(slow.state_dict(), strict=False)
    return torch.compile(new, dynamic=True)


# %% 12.3: Its numbers differ
def fast(slow):
    new = Fast()
    new.attention = Together(32, 4)
    return torch.compile(new, dynamic=True)


# %% 12.3: Dynamo captured nothing
def fast(slow):
    return slow


# %% 12.4: rounds show no difference
measured = lab.bench(
    slow, batches[1], ways={"mended": fast(slow)}, cold=False, kernels=False, rounds=3, seconds=1
)


# %% 12.4: was not timed
def constant(tokens):
    return torch.zeros(2, tokens.shape[1], 64)


measured = lab.bench(
    slow, batches[1], ways={"mended": constant}, cold=False, kernels=False, rounds=11
)


# %% 12.4: What was measured is not a Slow
def another(x):
    return x + 1


measured = lab.bench(
    another, batches[1], ways={"mended": another}, cold=False, kernels=False, rounds=3, seconds=1
)


# %% 12.4: Pass what `lab.bench` returned
measured = 2.5

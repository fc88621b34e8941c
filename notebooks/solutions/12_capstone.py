# %% 12.1
class Together(Attention):
    def forward(self, x):
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(out.transpose(1, 2).flatten(2))


# %% 12.2
class Counted(Slow):
    def __init__(self):
        super().__init__()
        del self.calls, self.longest
        self.register_buffer("calls", torch.tensor(0))
        self.register_buffer("longest", torch.tensor(0))

    def forward(self, tokens):
        self.calls += 1
        self.longest = torch.maximum(self.longest, (tokens != 0).sum(-1).max())
        x = self.embed(tokens) * (tokens != 0).unsqueeze(-1)
        x = x + self.attention(self.normed(x))
        x = x + self.down(F.gelu(self.up(self.normed(x))))
        return self.head(x).log_softmax(-1)


# %% 12.3
class Fast(Slow):
    def __init__(self):
        super().__init__()
        self.attention = Together(32, 4)

    def forward(self, tokens):
        x = self.embed(tokens) * (tokens != 0).unsqueeze(-1)
        x = x + self.attention(self.normed(x))
        x = x + self.down(F.gelu(self.up(self.normed(x))))
        return self.head(x).log_softmax(-1)


def fast(slow):
    new = Fast()
    new.load_state_dict(slow.state_dict(), strict=False)
    return torch.compile(new, dynamic=True)


# %% 12.4
measured = lab.bench(
    slow, batches[1], ways={"mended": fast(slow)}, cold=False, kernels=False, rounds=11, seconds=60
)

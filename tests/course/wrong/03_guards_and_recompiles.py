# %% 3.1: Those are the calls
compilations = 6

# %% 3.1: Sizes are not all
compilations = 2

# %% 3.1: When a size has changed once
compilations = 4

# %% 3.2: `b` would be compiled again
reusing = {"a", "b", "f"}

# %% 3.2: so does at least one other
reusing = {"f"}

# %% 3.2: `d` would be compiled again: `t.stride(0)`
reusing = ["a", "d", "f"]

# %% 3.2: These are the letters
reusing = {"a", "z"}


# %% 3.3: which line needs the size itself?
def mean_of_rows(x):
    return x.sum(0) * SHARES[int(x.shape[0])]


# %% 3.3: It computes something other than the original
def mean_of_rows(x):
    return x.sum(0) / x.shape[1]


# %% 3.3: Compiled, it computes something other
def mean_of_rows(x):
    return torch.zeros(3) if torch.compiler.is_compiling() else x.mean(0)


# %% 3.4: compiled again
class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x / torch.tensor(self.calls)


# %% 3.4: It computes something else
class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 1

    def forward(self, x):
        return x / self.calls


# %% 3.4: Pass the class itself
class Counting(torch.nn.Module):
    def forward(self, x):
        return x


Counted = Counting()


# %% 3.4: Compiled, it computes something else
class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        if torch.compiler.is_compiling():
            return x + 1
        self.calls += 1
        return x / self.calls


# %% 3.5: It was compiled again
flexible = torch.compile(scale, backend="eager", fullgraph=True)

# %% 3.5: Nothing was compiled
flexible = scale

# %% 3.5: It was compiled again
flexible = torch.compile(scale, backend="eager", dynamic=False)


# %% 3.5: What was compiled has no use for a tensor of (8, 3)
compiled_scale = torch.compile(scale, backend="eager")


def flexible(t):
    compiled_scale(torch.ones(2, 2))
    return scale(t)

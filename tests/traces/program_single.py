"""What a log can hold: a break, recompilations, open sizes, a backward, a failure, cache hits."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"


def breaks(x):
    y = torch.relu(x) + 1
    if y.sum() > 0:
        y = y.softmax(-1)
    print("in between")
    return y @ x


def recompiles(x, n):
    return x.sin() * n


def trains(model, x):
    return model(x).square().mean()


def chooses(x, flag):
    return torch.cond(flag.sum() > 0, lambda t: t.sin(), lambda t: t.cos(), (x,))


def fails(x):
    return x.cos() + 1


def skipped(x):
    torch._dynamo.graph_break()  # noqa: TID251
    return x


def cached(x):
    return (x * 3).tanh().sum(0)


def failing_backend(gm, example_inputs):
    raise RuntimeError("this backend compiles nothing: </script> \x1b[31m")


def quietly(fn, *args, **kwargs):
    try:
        fn(*args, **kwargs)
    except Exception as error:
        print(type(error).__name__)


def main():
    x = torch.randn(16, 16, device=device)
    torch.compile(breaks)(x)
    varying = torch.compile(recompiles)
    for size, n in ((8, 1), (12, 1), (16, 2)):
        varying(torch.randn(size, 4, device=device), n)
    model = torch.nn.Sequential(
        torch.nn.Linear(16, 32), torch.nn.LayerNorm(32), torch.nn.GELU(), torch.nn.Linear(32, 4)
    ).to(device)
    torch.compile(trains)(model, x).backward()
    torch.compile(chooses)(x, torch.ones(2, device=device))
    quietly(torch.compile(fails, backend=failing_backend), x)
    quietly(torch.compile(skipped, fullgraph=True), x)
    torch.compile(cached)(x)
    torch._dynamo.reset()  # noqa: TID251
    torch.compile(cached)(x)


if __name__ == "__main__":
    main()

"""GPT-2 small with random weights: the program that budgets are about. Nothing is downloaded."""

# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.

import sys
import time
from collections.abc import Callable
from typing import Any

import torch

Program = Callable[[], Any]


def gpt2(layers: int = 12, compiled: bool = True) -> Program:
    """One forward of GPT-2 with its head, of 64 tokens, without gradients, on the CPU."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(n_layer=layers, use_cache=False)
    model: Any = GPT2LMHeadModel(config).eval()  # from the config alone: random weights
    ids = torch.randint(0, config.vocab_size, (1, 64))
    called: Any = torch.compile(model) if compiled else model

    def run() -> Any:
        with torch.no_grad():
            return called(ids)

    return run


def compile_seconds(how: str) -> float:
    """The first run of the compiled model, `plain` or `recorded`."""
    import dynamo_lab

    run = gpt2()
    start = time.perf_counter()
    if how == "recorded":
        with dynamo_lab.record() as recorder:
            run()
        assert recorder.recording.kernels, "nothing was recorded, so nothing was measured"
    else:
        run()
    return time.perf_counter() - start


if __name__ == "__main__":
    print(compile_seconds(sys.argv[1]))

# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""GPT-2 small with random weights: the program that budgets are about. Nothing is downloaded."""

import sys
import time
from contextlib import suppress
from typing import Any

import torch

import dynamo_lab
from dynamo_lab.model.recording import Recording
from tests.benchmarks.core.ratio import processor_seconds
from tests.fixtures.unbuilt import NotBuiltError, unbuilt


def gpt2(layers: int = 12) -> tuple[Any, torch.Tensor]:
    """GPT-2 with its head, on the CPU, and 64 tokens to call it on."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(n_layer=layers, use_cache=False)
    model: Any = GPT2LMHeadModel(config).eval()  # from the config alone: random weights
    return model, torch.randint(0, config.vocab_size, (1, 64))


def recorded_gpt2(layers: int = 12) -> Recording:
    """The recording of one compilation."""
    model, ids = gpt2(layers)
    with torch.no_grad(), dynamo_lab.record("GPT-2") as recorder:
        torch.compile(model)(ids)
    return recorder.recording


def compile_seconds(how: str, backend: str = "inductor") -> tuple[float, float]:
    """The first run of the compiled model, in seconds of the processor and of the clock.

    It is `plain`, `recorded`, recorded with its `steps`, `unbuilt` (PyTorch's own way to the code,
    with nothing recorded), or `lowered`.

    Lowered for a target ("lowered:mps"), it is taken down to code that is not built.
    """
    model, ids = gpt2()
    with torch.no_grad():
        taken, start = processor_seconds(), time.perf_counter()
        if how.startswith("lowered"):
            target = how.partition(":")[2] or "cpu"
            found = dynamo_lab.lower(model, ids, target=target, grad=False)
            assert found.kernels, "nothing was lowered, so nothing was measured"
        elif how == "unbuilt":
            with unbuilt() as written, suppress(NotBuiltError):
                torch.compile(model, backend=backend)(ids)
            assert written, "nothing was lowered, so nothing was measured"
        elif how != "plain":
            with dynamo_lab.record(detail="steps" if how == "steps" else "normal") as recorder:
                torch.compile(model, backend=backend)(ids)
            assert recorder.recording.kernels, "nothing was recorded, so nothing was measured"
        else:
            torch.compile(model, backend=backend)(ids)
        return processor_seconds() - taken, time.perf_counter() - start


if __name__ == "__main__":
    print(*compile_seconds(*sys.argv[1:]))

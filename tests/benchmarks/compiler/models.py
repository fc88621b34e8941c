# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# torch annotates its functions only in part.
"""Models under our own compiler against Inductor, in turns, on CUDA or else on the CPU.

Models are made from configs with random weights. A ratio is lab / inductor of one call or one
training step, Python included; the matrix products are the same library's in both.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from tests.benchmarks.compiler.rows import LIMIT, printed, ratio_text, run_alone
from tests.benchmarks.core.ratio import Line, ratio, report, take_turns, with_mean

EACH = 1 / 0.95
SECONDS = 0.2
"""Of steps in a measure."""
LAYERS = 2
"""As many of each model's layers: more take longer to compile, and are the same kernels."""


def models() -> dict[str, tuple[Callable[[], torch.nn.Module], dict[str, torch.Tensor]]]:
    """By name: what makes the model, and its inputs."""
    from transformers import (
        BertConfig,
        BertModel,
        GPT2Config,
        GPT2LMHeadModel,
        LlamaConfig,
        LlamaForCausalLM,
        ResNetConfig,
        ResNetModel,
        ViTConfig,
        ViTModel,
    )

    ids = torch.randint(0, 1000, (2, 128))
    image = torch.randn(2, 3, 224, 224)
    gpt2 = GPT2Config(n_layer=LAYERS, vocab_size=1000)
    bert = BertConfig(num_hidden_layers=LAYERS, vocab_size=1000)
    llama = LlamaConfig(
        hidden_size=512, intermediate_size=1408, num_hidden_layers=LAYERS, num_attention_heads=8,
        vocab_size=1000,
    )  # fmt: skip
    vit = ViTConfig(num_hidden_layers=LAYERS)
    resnet = ResNetConfig(depths=[2, 2, 2, 2], layer_type="basic", hidden_sizes=[64, 128, 256, 512])
    return {
        "GPT-2": (lambda: GPT2LMHeadModel(gpt2), {"input_ids": ids, "labels": ids}),
        "BERT": (lambda: BertModel(bert), {"input_ids": ids}),
        "Llama": (lambda: LlamaForCausalLM(llama), {"input_ids": ids, "labels": ids}),
        "ViT": (lambda: ViTModel(vit), {"pixel_values": image}),
        "ResNet-18": (lambda: ResNetModel(resnet), {"pixel_values": image}),
    }


def line(name: str, make: Callable[[], Any], inputs: Any, *, train: bool, rounds: int) -> Line:
    """One model's ratio, both compiled in this process."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.compiler.reset()
    torch.manual_seed(0)
    model = make().to(device).train(train)
    given = {key: value.to(device) for key, value in inputs.items()}
    measures = [step_of(model, given, backend, train=train) for backend in ("inductor", "lab")]
    inductor, lab = take_turns(measures, rounds)
    kind = "training" if train else "inference"
    return Line(name=f"{name}, {kind}", value=ratio(inductor, lab), unit="", budget=EACH)


def step_of(model: Any, given: Any, backend: str, *, train: bool) -> Callable[[], float]:
    """A measure: seconds of one step."""
    compiled = torch.compile(model, backend=backend)

    def step() -> None:
        if not train:
            with torch.no_grad():
                compiled(**given)
            return
        found = compiled(**given)
        loss = found[0] if "labels" in given else found[0].square().mean()
        loss.backward()
        model.zero_grad()

    def seconds(times: int) -> float:
        wait()
        start = time.perf_counter()
        for _ in range(times):
            step()
        wait()
        return (time.perf_counter() - start) / times

    seconds(2)
    times = max(1, int(SECONDS / seconds(1)))
    return lambda: seconds(times)


def wait() -> None:
    """Until the device has done what it was given."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def main(rounds: int) -> None:
    """Measure and print."""
    where = torch.cuda.get_device_name() if torch.cuda.is_available() else "the CPU"
    title = f"lab / inductor on {where}, {torch.get_num_threads()} threads"
    print(title, flush=True)
    works = {
        f"{name}, {kind}": partial(
            line, name, make, inputs, train=kind == "training", rounds=rounds
        )
        for name, (make, inputs) in models().items()
        for kind in ("inference", "training")
    }
    lines = printed(works, LIMIT, ratio_text)
    if lines:
        print(report(title, with_mean(lines, EACH), rounds))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--here", action="store_true", help="in this process")
    asked = parser.parse_args()
    if asked.here:
        main(asked.rounds)
    else:
        given = ["--rounds", str(asked.rounds), "--here"]
        run_alone("tests.benchmarks.compiler.models", given, torch.get_num_threads())

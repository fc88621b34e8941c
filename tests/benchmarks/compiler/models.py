# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# torch annotates its functions only in part.
"""Models under our own compiler against Inductor, in turns, on CUDA or else on the CPU.

Models are made from configs with random weights. A ratio is lab / inductor of one call or one
training step, Python included; the matrix products are the same library's in both.
"""

import time
from collections.abc import Callable
from typing import Any

import torch

from tests.benchmarks.core.ratio import Line, options, ratio, report, take_turns, with_mean

EACH = 1 / 0.95
SECONDS = 0.3


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

    ids = torch.randint(0, 1000, (4, 128))
    image = torch.randn(4, 3, 224, 224)
    gpt2 = GPT2Config(n_layer=4, vocab_size=1000)
    bert = BertConfig(num_hidden_layers=4, vocab_size=1000)
    llama = LlamaConfig(
        hidden_size=512, intermediate_size=1408, num_hidden_layers=4, num_attention_heads=8,
        vocab_size=1000,
    )  # fmt: skip
    vit = ViTConfig(num_hidden_layers=4)
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

    seconds(3)
    times = max(1, int(SECONDS / seconds(2)))
    return lambda: seconds(times)


def wait() -> None:
    """Until the device has done what it was given."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def main(rounds: int) -> None:
    """Measure and print."""
    lines: list[Line] = []
    for name, (make, inputs) in models().items():
        for train in (False, True):
            lines.append(line(name, make, inputs, train=train, rounds=rounds))
    where = torch.cuda.get_device_name() if torch.cuda.is_available() else "the CPU"
    print(
        report(
            f"lab / inductor on {where}, {torch.get_num_threads()} threads",
            with_mean(lines, EACH),
            rounds,
        )
    )


if __name__ == "__main__":
    main(options(__doc__, rounds=5).rounds)

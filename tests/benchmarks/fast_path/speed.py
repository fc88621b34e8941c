# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# torch annotates its functions only in part.
"""The fast path of an encoder: eager, compiled, fast path and both, by the share of padding.

The encoder has BERT-base's layers (768 channels, 12 heads, 3,072 hidden) unless told otherwise;
padding is at the end of each sequence, and sequences are as long as each other. Times are in turns,
ratios are to eager without the fast path. `python -m tests.benchmarks.fast_path`, on a CUDA device
with `--device cuda --dtype float16`.
"""

import argparse
import warnings
from collections.abc import Iterator

import torch
from torch import nn

from dynamo_lab.bench.fast_path import tried
from dynamo_lab.measure.rounds import Plan
from dynamo_lab.measure.statistics import spread
from dynamo_lab.model.fast_path.trial import Trial
from dynamo_lab.render.tables import table
from dynamo_lab.view.core.words import seconds
from dynamo_lab.view.fast_path.trial import trial_view
from tests.benchmarks.core.ratio import announce, machine

SHARES = (0.0, 0.5, 0.8)


def asked() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (
        ("layers", 12), ("size", 768), ("heads", 12), ("hidden", 3072), ("batch", 8),
        ("length", 256), ("rounds", 25), ("seconds", 60),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    return parser.parse_args()


def measured(given: argparse.Namespace, share: float) -> Trial:
    """An encoder and its input, with that share of each sequence as padding."""
    torch.manual_seed(0)
    kind = {"device": given.device, "dtype": getattr(torch, given.dtype)}
    layer = nn.TransformerEncoderLayer(
        given.size, given.heads, given.hidden, activation="gelu", batch_first=True, **kind
    )
    encoder = nn.TransformerEncoder(layer, given.layers).eval()
    x = torch.randn(given.batch, given.length, given.size, **kind)
    hidden = torch.zeros(given.batch, given.length, dtype=torch.bool, device=given.device)
    hidden[:, round(given.length * (1 - share)) :] = True
    padding = {"src_key_padding_mask": hidden} if share else {}
    plan = Plan(rounds=given.rounds, seconds=given.seconds)
    return tried(encoder, (x,), padding, plan, grad=False)


def rows(trial: Trial, share: float) -> Iterator[tuple[str, ...]]:
    """Of one share of padding: each way's time, and how it compares with eager."""
    for times, view in zip(trial.measured, trial_view(trial).times, strict=True):
        middle = seconds(spread(times.seconds).median) if times.seconds else "-"
        yield (f"{share:.0%}", view.way, middle, view.told, view.difference)


def main() -> None:
    """Measure and print."""
    given = asked()
    tell = announce(len(SHARES))
    found: list[tuple[str, ...]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nested tensors are a prototype, PyTorch says
        for at, share in enumerate(SHARES):
            tell(at)
            torch.compiler.reset()
            found += rows(measured(given, share), share)
    print(*table([("padding", "way", "a call", "against eager", "differs by"), *found]), sep="\n")
    is_gpu = given.device == "cuda"
    where = torch.cuda.get_device_name() if is_gpu else f"{torch.get_num_threads()} threads"
    sizes = f"{given.layers} layers of {given.size}, batch {given.batch}, length {given.length}"
    print(f"{sizes}, {given.dtype}; {where}, {machine()}")


if __name__ == "__main__":
    main()

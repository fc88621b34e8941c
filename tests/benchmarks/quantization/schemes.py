# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""Two linear layers, GELU between, by each scheme of `lab.quantize` that the device has.

python -m tests.benchmarks.quantization.schemes
python -m tests.benchmarks.quantization.schemes --device cuda --dtype bfloat16
"""

from __future__ import annotations

import argparse

import torch
from torch import nn

import dynamo_lab as lab

SCHEMES = ("int8", "int8-dynamic", "int8-weights", "int4-weights")
"""Those that the device has not are told as such."""


def main() -> None:
    """Print the machine, then the table of the schemes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--size", type=int, default=1024, help="features; four times within")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--schemes", nargs="+", default=SCHEMES)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    torch.manual_seed(0)
    kind = {"device": options.device, "dtype": getattr(torch, options.dtype)}
    size = options.size
    layers = (nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))
    model = nn.Sequential(*layers).to(**kind).eval()
    x = torch.randn(options.batch, size, **kind)
    where = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    print(f"{where}, torch {torch.__version__}, {options.dtype}, batch {options.batch}")
    print(
        lab.quantize(
            model,
            x,
            schemes=options.schemes,
            rounds=options.rounds,
            seconds=options.seconds,
        )
    )


if __name__ == "__main__":
    main()

"""Accuracy of training in float32 and in int8, of all and of some parameters.

`python -m tests.benchmarks.tiny.digits`; an interrupted one goes on where it was, if the results
are in a folder (`--store`). `--table` prints the table of what is in that folder.

scikit-learn's handwritten digits (1,797 images of 8 x 8). A network learns the even digits in
float32; then, with a new head, it is trained on the odd ones, each way with the same samples in
the same order. Its accuracy is that of its own forward (int8 where it trained in int8) on images
that no training saw: median, least and most over the seeds. The learning rate falls to zero in a
line. It begins at float32's, which is the best of a grid; or at a way's own, the best of its grid.
The best is that with the highest accuracy on a third part of the images, the mean of the seeds.

Without scaling a step of int8 takes the gradient as it is (Lin et al., NeurIPS 2022, section 2.1).
The authors' comparison (`algorithm/scripts/compare_qas.sh` of github.com/mit-han-lab/tiny-training)
gives each way its best rate and keeps the classifier in float (`ScaledLinear`), so that one rate
has to suit both. Here that is the way without scaling but of the head. What is searched for,
the last layers and the biases are trained within the same memory, that of a step of one image.
"""

from __future__ import annotations

import os
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from dynamo_lab.view.core.words import size
from tests.benchmarks.tiny.digits.data import TRAIN
from tests.benchmarks.tiny.digits.kept import Kept
from tests.benchmarks.tiny.digits.pupil import WAYS, Pupil
from tests.benchmarks.tiny.digits.runs import best_rates, trained_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Result = tuple[float, float, int]
"""The accuracy after the first and the last epoch, and the bytes for one image."""

HEAD = (
    *("trained", "rate", "after one epoch", "at the end", "least", "most"),
    *("to float32", "to int8, all", "memory"),
)


def arguments() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.benchmarks.tiny.digits")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--store", type=Path, help="a folder for results, which is gone on with")
    parser.add_argument("--table", action="store_true", help="print what the folder has")
    return parser.parse_args()


def of_seed(seed: int, epochs: int, kept: Kept, rates: Iterable[float]) -> list[Result]:
    """By way."""
    pupil = Pupil(seed, epochs, kept)
    found: list[Result] = []
    for way, rate in zip(WAYS, rates, strict=True):
        first, end, _ = pupil.accuracies(way, rate)
        found.append((first, end, pupil.bytes_of(way)))
    return found


def rows(found: Sequence[Sequence[Result]], rates: Sequence[float]) -> Iterator[tuple[str, ...]]:
    yield HEAD
    yield ("---",) * len(HEAD)
    beside = [[of_one[k][1] for of_one in found] for k in (0, 1)]
    for way, rate, results in zip(WAYS, rates, zip(*found, strict=True), strict=True):
        first, ends, sizes = zip(*results, strict=True)
        apart = [median(a - b for a, b in zip(ends, one, strict=True)) for one in beside]
        shares = (median(first), median(ends), min(ends), max(ends))
        yield (
            way.name,
            f"{rate:g}{', an end of its grid' * (rate in (way.rates[:1] + way.rates[-1:]))}",
            *(f"{100 * share:.1f} %" for share in shares),
            *(f"{100 * one:+.1f}" for one in apart),
            size(max(sizes)),
        )


def main() -> None:
    asked = arguments()
    folder = asked.store or Path(tempfile.mkdtemp(prefix="tiny-digits-"))
    if not asked.table:
        trained_all(asked.seeds, asked.epochs, folder, asked.workers)
    kept = Kept(folder, of_any_code=True)
    rates = best_rates(asked.seeds, asked.epochs, kept)
    found = [of_seed(seed, asked.epochs, kept, rates) for seed in asked.seeds]
    about = f"{len(asked.seeds)} seeds, {asked.epochs} epochs of {TRAIN} images"
    print(f"\n{about}: medians over the seeds. Code {'; '.join(kept.codes())}\n")
    print("\n".join(f"| {' | '.join(row)} |" for row in rows(found, rates)))
    told = Pupil(0, asked.epochs, kept).orders().items()
    words = ", ".join(f"{name} {value:.1f}" for name, value in told)
    print(f"\nOrders of magnitude between tensors, seed 0: {words}")


if __name__ == "__main__":
    main()

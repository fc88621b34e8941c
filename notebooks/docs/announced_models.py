"""Write the table of the models that PyTorch 2.0 was announced with, from the suite's code.

python notebooks/docs/announced_models.py
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dynamo_lab.suite.corpus.announced import COUNTED, announced
from dynamo_lab.suite.models import of_timm, of_torch, of_transformers

if TYPE_CHECKING:
    from dynamo_lab.suite.corpus.announced import Announced, Origin

PAGE = Path(__file__).parent / "reference" / "announced_models.md"

HEAD = """# The models of the announcement

Written by `notebooks/docs/announced_models.py` from `dynamo_lab/suite/corpus/announced.py`.

PyTorch 2.0 was announced with 163 models: 46 of Hugging Face, 61 of timm, 56 of TorchBench. The
[announcement](https://pytorch.org/get-started/pytorch-2.0/) counts them and names none; these are
the names in the lists of
[PyTorch's own benchmarks](https://github.com/pytorch/pytorch/tree/main/benchmarks/dynamo) at the
end of 2022, which have some more. Where a package has a model, it is tried by its name, with random
weights:

```sh
dynamo-lab suite --capture --models 2.0-huggingface,2.0-timm,2.0-torchbench
```

No run of these three families is kept here yet.

Those of Hugging Face are made small there. *Timed as* is the name in the list of
[the suite](../suite.md), which compares numbers and times: it has one model of each kind, most
names none.
"""


def page() -> str:
    """The text of the page."""
    return HEAD + "".join(_section(origin) for origin in COUNTED)


def _section(origin: Origin) -> str:
    every = [one for one in announced() if one.origin == origin]
    there = [one for one in every if one.package]
    timed = [one for one in there if _timed(one)]
    counted = (
        f"\n## {origin}\n\nThe announcement counts {COUNTED[origin]}, the list has {len(every)}: "
        f"{len(there)} names are in a package, {len(timed)} are timed.\n\n"
    )
    return counted + "\n".join([*_HEADS, *map(_row, there)]) + "\n" + _missing(every)


_HEADS = ("| name | package | there it is | timed as |", "|---|---|---|---|")


def _row(one: Announced) -> str:
    timed = _timed(one)
    return f"| {one.name} | {one.package} | `{one.named}` | {f'`{timed}`' if timed else ''} |"


def _timed(one: Announced) -> str:
    """The name of the same model in the suite's list, or nothing."""
    return {
        "transformers": {spec.model: spec.name for spec in of_transformers.SPECS},
        "timm": {model.name: model.name for model in of_timm.MODELS},
        "dynamo_lab": {model.name: model.name for model in of_torch.MODELS},
        "torchvision": {"resnet50": "resnet50_plain", "vgg16": "vgg16_plain"},
    }[one.package].get(one.named, "")


def _missing(every: list[Announced]) -> str:
    why: dict[str, list[str]] = {}
    for one in every:
        if one.why:
            why.setdefault(one.why, []).append(one.name)
    told = [f"- {', '.join(names)}: {reason}." for reason, names in why.items()]
    return "\n" + "\n".join(["Not tried:\n", *told]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

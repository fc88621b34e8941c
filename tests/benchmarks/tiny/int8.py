# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""Memory of training steps in int8, to the byte: `python -m tests.benchmarks.tiny.int8`.

The networks and schemes of `python -m tests.benchmarks.tiny`, at 128 x 128 and batch 1. "Full" and
"sparse" keep all gradients to the end of the step; they are counted thrice: as int8 would need
them, with gradients in float32, and all in float32. "Trained" is the step as its C has it: arena
and updated parameters. "Constants" is what only is read. "Sparse" counts trained weights whole;
"of parts" is the step's ratio to a sparse one that counts, as it does, their chosen channels alone.

The row "PyTorch eager" is measured: the most that a step of forward, backward and SGD allocates,
by PyTorch's profiler, in float32, with the updated parameters and the sample. It updates whole
tensors.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatch
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

import dynamo_lab as lab
from dynamo_lab.measure.memory_course import course_of
from dynamo_lab.render.tables import table
from dynamo_lab.tiny.measures import bar
from dynamo_lab.tiny.parts import parts_of
from dynamo_lab.view.core.words import size
from tests.benchmarks.tiny.__main__ import SCHEMES, update_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import nn

    from dynamo_lab.tiny.work import Precision

HEAD = (
    *("network", "counted", "full", "sparse", "trained", "sparse x", "trained x", "both x"),
    "of parts x",
    *("arena", "updated", "constants", "worst moment"),
)
COUNTED: dict[Precision, str] = {
    "int8": "int8",
    "mixed": "gradients float32",
    "float32": "float32",
}


def rows() -> Iterator[tuple[str, ...]]:
    torch.manual_seed(0)
    sample = torch.randn(1, 3, 128, 128), torch.tensor([1])
    for name, (make, scheme) in SCHEMES.items():
        model = make()
        update = update_of(model, scheme)
        plan = lab.tiny(model, sample, update=update, memory=None, channels="largest", dtype="int8")
        facts = plan.facts
        kept = next(one.after for one in plan.passes if one.name == "fold")
        others = sum(
            (part.whole - len(part.channels))
            * plan.graph.nodes[node].meta["val"].numel()
            // part.whole
            for node, part in parts_of(plan.graph).items()
        )
        for precision, counted in COUNTED.items():
            full = replace(plan.problem, precision=precision).full.bytes
            sparse = bar("sparse", kept, precision, has_state=False).bytes
            chosen = sparse - others * (4 if precision == "float32" else 1)
            yield (
                name,
                counted,
                *map(size, (full, sparse, facts.bytes)),
                f"{full / sparse:.1f}",
                f"{sparse / facts.bytes:.2f}",
                f"{full / facts.bytes:.1f}",
                f"{chosen / facts.bytes:.2f}",
                *map(size, (facts.arena, facts.resident, facts.frozen)),
                facts.peak_at,
            )
        full, sparse = eager(make(), sample, ("*",)), eager(make(), sample, tuple(update))
        yield (
            *(name, "PyTorch eager", size(full), size(sparse), size(facts.bytes)),
            f"{full / sparse:.1f}",
            f"{sparse / facts.bytes:.2f}",
            f"{full / facts.bytes:.1f}",
            *("", "", "", "", ""),
        )
    yield ("the paper", "", "", "", "", "7 to 9", "2.4 to 3.2", "20 to 21", "", "", "", "", "")


def eager(model: nn.Module, sample: tuple[torch.Tensor, ...], names: tuple[str, ...]) -> int:
    """The bytes that a step needs in PyTorch as it comes: measured, in the second step."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(any(fnmatch(name, one) for one in names))
    updated = [one for one in model.parameters() if one.requires_grad]
    sgd, (x, y) = torch.optim.SGD(updated, 0.01), sample

    def step() -> None:
        sgd.zero_grad()
        functional.cross_entropy(model(x), y).backward()
        sgd.step()

    step()
    sgd.zero_grad()
    course = course_of(step)
    assert course is not None
    return course.peak + sum(one.nbytes for one in (*updated, *sample))


def main() -> None:
    torch.set_num_threads(1)
    print("\n".join(table([HEAD, *rows()])))


if __name__ == "__main__":
    main()

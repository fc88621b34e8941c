"""Programs of ours with the troubles that people reported to PyTorch, as source text.

A source defines `fn`, `arguments()`, the options of `torch.compile` that the trouble needs, and
`run(compiled)`, what the reporter did. The line that the answer has to name ends in `# fault`.
"""

from __future__ import annotations

from typing import NamedTuple


class Report(NamedTuple):
    """A report: its number, what it is about, a program of ours, and what has to answer it.

    `rule` is that of the first finding; of wrong results, `verdict` is that of `why_wrong` and
    `part` the kind and name of the part that it has to name.
    """

    number: str
    about: str
    source: str
    rule: str = ""
    verdict: str = ""
    part: tuple[str, str] = ("", "")
    options: tuple[tuple[str, object], ...] = ()


_CALL = """
def run(compiled):
    compiled(*arguments())
"""


def _wrong(number: str, about: str, source: str, verdict: str, **kwargs: object) -> Report:
    return Report(number, about, source + _CALL, verdict=verdict, **kwargs)  # pyright: ignore


REPORTS = (
    _wrong(
        "198031",
        "a copy of an input is dropped, and an operator that writes gets the input twice",
        """
import torch

@torch.library.custom_op("reported::decay_", mutates_args=("state",))
def decay_(kept: torch.Tensor, state: torch.Tensor) -> None:
    state.mul_(2).add_(kept)

@decay_.register_fake
def _(kept, state):
    return None

def fn(state):
    kept = state.clone()
    decay_(kept, state)  # fault
    return state + 1

def arguments():
    return [torch.randn(8)]
""",
        "bug",
        part=("pass", "remove_noop_ops"),
    ),
    _wrong(
        "190765",
        "an index with negative terms is shortened wrongly",
        """
import torch

def fn(x, a, b):
    left = (x @ a).t()
    right = (x @ b).t()
    pairs = (left + right).t().flatten().repeat_interleave(2)
    return pairs.flip(0)  # fault

def arguments():
    return [torch.randn(8, 6), torch.randn(6, 8), torch.randn(6, 8)]
""",
        "bug",
        part=("index", "ModularIndexing.eval"),
        options=(("dynamic", True),),
    ),
    _wrong(
        "177839",
        "eager's logit gives something else for a slice than for a copy of it",
        """
import torch

def fn(x):
    return torch.special.logit(x, eps=0.51)

def arguments():
    return [torch.full((2, 20), 0.3)[:, :18]]
""",
        "eager",
    ),
    _wrong(
        "181568",
        "a cast to bfloat16 and back is left out",
        """
import torch

def fn(x, weight, bias):
    return (x @ weight).to(torch.bfloat16) + bias

def arguments():
    return [torch.randn(30, 32), torch.randn(32, 17), torch.randn(17)]
""",
        "rounding",
    ),
    _wrong(
        "198131",
        "a copy of an input is read after the input was written to",
        """
import torch

def fn(kept, state):
    kept[0:, :] = state[0:, :]  # fault
    state.add_(1)
    return state

def arguments():
    return [torch.zeros(3, 4), torch.arange(12.0).view(3, 4)]
""",
        "bug",
        part=("pass", "remove_noop_ops"),
    ),
    Report(
        "133898",
        "AdamW compiles again at each step of a OneCycleLR",
        """
import torch

weight = torch.nn.Parameter(torch.ones(4))
weight.grad = torch.ones(4)
rate = torch.tensor(0.001)
optimizer = torch.optim.AdamW([weight], lr=rate)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=100)

def fn():
    optimizer.step()  # fault
    scheduler.step()

def arguments():
    return []

def run(compiled):
    for _ in range(6):
        compiled()
""",
        rule="optimizer-option",
        options=(("backend", "aot_eager"),),
    ),
    Report(
        "111441",
        "a loop in NumPy takes long to compile",
        """
import numpy as np

def fn(scales, steps):
    errors = np.ones((16, scales.shape[0]))
    path = np.zeros((steps, 16, scales.shape[0]))
    for step in range(steps):  # fault
        x = np.sqrt(scales) * np.random.randn(16, scales.shape[0])
        losses = np.einsum("bd,bd->b", errors, x)
        errors = errors - 0.1 * np.einsum("bd,b->bd", x, losses)
        path[step] = errors
    return np.sum(path * path, axis=2)

def arguments():
    return [np.ones(8), 30]

def run(compiled):
    compiled(*arguments())
""",
        rule="unrolled-loop",
        options=(("backend", "aot_eager"),),
    ),
    Report(
        "136263",
        "the gradient of cumprod is slower than eager's",
        """
import torch

def fn(x):
    return torch.cumprod(x, dim=1).sum()  # fault

def arguments():
    return [torch.rand(8, 32, 500, requires_grad=True)]

def run(compiled):
    compiled(*arguments()).backward()
""",
        rule="product-gradient",
        options=(("backend", "aot_eager"),),
    ),
    Report(
        "117281",
        "CUDA graphs are skipped because of mutated inputs: which ones, and where?",
        """
import torch

def fn(x, mean):
    mean.mul_(0.9).add_(x.mean(0), alpha=0.1)  # fault
    return x - mean

def arguments():
    return [torch.randn(32, 64), torch.zeros(64)]

def run(compiled):
    compiled(*arguments())
""",
        rule="cuda-graph-not-used",
        options=(("mode", "reduce-overhead"),),
    ),
    Report(
        "188150",
        "CUDA graphs are recorded again for each length of a batch",
        """
import torch

def fn(tokens, table):
    return table[tokens].softmax(-1)  # fault

def arguments():
    return [torch.arange(12), torch.randn(64, 64)]

def run(compiled):
    for length in (12, 13, 17):
        compiled(torch.arange(length), torch.randn(64, 64))
""",
        rule="cuda-graph-per-size",
        options=(("mode", "reduce-overhead"), ("dynamic", True)),
    ),
    Report(
        "128319",
        "a module that counts its calls compiles again at each",
        """
import torch

class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1  # fault
        return x.sin() * self.calls

fn = Counted()

def arguments():
    return [torch.ones(4)]

def run(compiled):
    for _ in range(6):
        compiled(*arguments())
""",
        rule="attribute-changes",
        options=(("backend", "aot_eager"),),
    ),
)
"""In the order in which the docs list them."""

UNREAD = ("108966", "122294", "153346", "transformers 36484")
"""Reports on the list that could not be read where this was written: nothing is claimed of them."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownVariableType=false
# torch annotates its functions only in part, and a lambda has no annotations.
"""Kernels of our own compiler against Inductor's, on this CPU, in turns.

Each measure is the mean of some ten milliseconds of calls. A ratio is lab / inductor, so less than
1 is faster than Inductor.
"""

from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import torch
from torch.nn import functional as F

from tests.benchmarks.core.ratio import Line, announce, ratio, report, take_turns, timed, with_mean

SECONDS = 0.03
"""Of calls in a measure."""
EACH, ALL = 1.25, 1 / 1.1

Program = tuple[Callable[..., Any], tuple[torch.Tensor, ...]]


def programs(times: int = 1) -> dict[str, Program]:
    """Pointwise chains, reductions both ways, normalisations, moves, and a step of Adam.

    Args:
        times: how many times as many rows, images and indices as keep a CPU busy.
    """
    torch.manual_seed(0)
    rows = 512 * times
    x, y = torch.randn(rows, 1024), torch.randn(rows, 1024)
    w, b, long = torch.randn(1024), torch.randn(1024), torch.randn(4, times << 18)
    image, ids = torch.randn(8 * times, 32, 56, 56), torch.randint(0, rows, (300 * times,))
    return {
        "pointwise chain": (chain, (x, y)),
        "gelu": (F.gelu, (x,)),
        "layer norm + gelu": (lambda x, w, b: F.gelu(F.layer_norm(x, (1024,), w, b)), (x, w, b)),
        "rms norm": (
            lambda x, w: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * w,
            (x, w),
        ),
        "softmax": (lambda x: torch.softmax(x, -1), (x,)),
        "log softmax of columns": (lambda x: torch.log_softmax(x, 0), (x,)),
        "row sums": (lambda x: x.sum(-1), (x,)),
        "column sums": (lambda x: x.sum(0), (x,)),
        "sum of squares": (lambda x: (x * x).sum(), (x,)),
        "few long rows": (lambda x: x.exp().sum(-1), (long,)),
        "argmax": (lambda x: x.argmax(-1), (x,)),
        "cat and pad": (lambda x, y: F.pad(torch.cat([x, y.exp()], 1)[:, 3:], (2, 1)), (x, y)),
        "transpose": (lambda x: x.t().contiguous() + 1, (x,)),
        "permute of images": (lambda x: x.permute(0, 2, 3, 1).contiguous() * 2, (image,)),
        "gather of rows": (lambda x, i: x[i] * 2, (x, ids)),
        "batch norm": (lambda x: F.batch_norm(x, None, None, training=True).relu(), (image,)),
        "group norm": (lambda x: F.group_norm(x, 8), (image,)),
        "bfloat16 chain": (chain, (x.bfloat16(), y.bfloat16())),
        "adam": (adam, tuple(torch.rand(rows, 1024) for _ in range(4))),
        "cross entropy": (F.cross_entropy, (x, torch.randint(0, 1024, (rows,)))),
    }


def chain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Transcendental functions and comparisons, memory read once."""
    return torch.sigmoid(x) * torch.tanh(y) + torch.exp(-x * x) * 0.5 + (x - y).abs().clamp(max=3.0)


def adam(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """A step that writes three of its inputs."""
    m.mul_(0.9).add_(g, alpha=0.1)
    v.mul_(0.999).addcmul_(g, g, value=0.001)
    return p.addcdiv_(m, v.sqrt().add_(1e-8), value=-1e-3)


def line(name: str, program: Program, rounds: int) -> Line:
    """One program's ratio, both compiled in this process."""
    fn, args = program
    torch.compiler.reset()
    calls = [partial(torch.compile(fn, backend=backend), *args) for backend in ("inductor", "lab")]
    measures = [timed(repeated(call)) for call in calls]
    inductor, lab = take_turns(measures, rounds)
    return Line(name=name, value=ratio(inductor, lab), unit="", budget=EACH)


def repeated(call: Callable[[], object]) -> Callable[[], None]:
    """The call as often as fills a measure."""
    call()
    once = median(timed(call)() for _ in range(5))
    times = max(1, int(SECONDS / once))

    def work() -> None:
        for _ in range(times):
            call()

    return work


def main(rounds: int) -> None:
    """Measure and print."""
    say = announce(len(programs()))
    lines: list[Line] = []
    for number, (name, program) in enumerate(programs().items()):
        say(number)
        lines.append(line(name, program, rounds))
    title = f"lab / inductor on the CPU, {torch.get_num_threads()} threads"
    print(report(title, with_mean(lines, ALL), rounds))

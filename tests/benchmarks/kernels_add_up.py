"""Do the times of kernels add up to the whole? GPT-2 small, compiled.

On a CPU one thing happens after the other: all kernels, and a call whose kernels do nothing, are
together the whole. On a GPU the kernels cannot take longer than the whole, and what the whole takes
beyond them is when the device waited.
"""

import argparse
import sys
from typing import Any

import torch

import dynamo_lab
from dynamo_lab.bench.kernel_times import KernelTimes, time_kernels
from dynamo_lab.measure.rounds import Plan, Progress, Watch
from dynamo_lab.measure.subject import Subject
from tests.benchmarks.core.gpt2 import gpt2
from tests.benchmarks.core.ratio import Line, report, spread

BUDGET = 0.05


def measured(asked: argparse.Namespace) -> KernelTimes:
    """The kernels of GPT-2, while it runs."""
    model, ids = gpt2(asked.layers)
    model, ids = model.to(asked.device), ids.repeat(asked.batch, 1).to(asked.device)
    subject = Subject(model, (ids,), {}, dict(model.named_parameters()), loss=_loss)
    untyped: Any = torch
    compiled = untyped.compile(model)
    with dynamo_lab.record("GPT-2") as recorder:
        subject.call(compiled, asked.phase)()
    plan = Plan(rounds=asked.rounds, seconds=asked.seconds)
    options: dict[str, Any] = {"phase": asked.phase, "cold": False, "watch": Watch(_tell)}
    return time_kernels(recorder.recording, subject, compiled, plan=plan, **options)


def _loss(returned: Any) -> torch.Tensor:
    return returned.logits.float().sum()


def _tell(progress: Progress) -> None:
    print(f"round {progress.done} of {progress.total}", file=sys.stderr, flush=True)


def lines(found: KernelTimes, device: str) -> list[Line]:
    """What came of it, round by round."""
    own, eager = found.overheads
    kernels = [sum(column) for column in zip(*(k.warm for k in found.kernels), strict=True)]
    operators = [sum(column) for column in zip(*(c.warm for c in found.eager_calls), strict=True)]
    made = [
        Line(name="whole", value=spread(own.whole)),
        Line(name=f"kernels ({len(found.kernels)})", value=spread(kernels)),
        Line(name="without kernels", value=spread(own.stubbed)),
        Line(name="a call of an empty kernel", value=spread(own.launch)),
        Line(name="eager", value=spread(eager.whole)),
        Line(name=f"its operators ({len(found.eager_calls)})", value=spread(operators)),
    ]
    rests = own.stubbed if device == "cpu" else [0.0] * len(kernels)
    rows = zip(own.whole, kernels, rests, strict=True)
    left = [(whole - kernel - rest) / whole for whole, kernel, rest in rows]
    if device == "cpu":
        made.append(
            Line(name="not accounted for / whole", value=spread(left), unit="", budget=BUDGET)
        )
    else:
        made.append(Line(name="the device waits / whole", value=spread(left), unit=""))
    over = spread([-share for share in left])
    made.append(Line(name="beyond the whole / whole", value=over, unit="", budget=BUDGET))
    return made


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=120.0, help="about how long it may take")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--phase", choices=("forward", "step"), default="forward")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    found = measured(asked)
    if problem := found.overheads[0].problem:
        sys.exit(problem)
    rounds = len(found.overheads[0].whole)
    title = f"GPT-2 with {asked.layers} layers, {asked.batch} x 64 tokens, {asked.phase}"
    print(report(f"{title}, {asked.device}", lines(found, asked.device), rounds))


if __name__ == "__main__":
    main()

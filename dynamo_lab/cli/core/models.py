"""`dynamo-lab bench` of a model on the suite's list, whose recording is kept with its times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.api.benchmarks.benchmarked import Benchmarked
    from dynamo_lab.api.recording import Recording
    from dynamo_lab.suite.models.model import Model


def model_named(name: str) -> Model | None:
    """The model of this name on the suite's list, if there is one."""
    from dynamo_lab.suite.models.models import models

    return models().get(name)


def bench_model(
    model: Model, options: argparse.Namespace, *, kernels: bool
) -> Benchmarked[Recording]:
    """Time a model eagerly and compiled on a device, as `dynamo_lab.bench` does, under its name.

    Raises:
        OptionError: there is no such device or variant.
        SuiteError: it has no such size.
    """
    import torch

    from dynamo_lab.api.benchmarks.bench import benched
    from dynamo_lab.bench.limits import present
    from dynamo_lab.bench.options import bench_options
    from dynamo_lab.errors import SuiteError
    from dynamo_lab.suite.results import Case
    from dynamo_lab.suite.subject import Subject, loss_of, scores_of

    present(options.device)
    size = options.size or ("small" if options.device == "cpu" else "full")
    if size not in ("small", "full"):
        raise SuiteError(f"{model.name} has no size {size!r}: pass small or full.")
    untyped: Any = torch
    untyped.manual_seed(0)
    task: Any = "training" if options.training else "inference"
    subject = Subject(model.build(size), Case(model.name, task, "float32"), options.device)
    subject.label()
    labels: Any = subject.labels

    def loss(output: Any) -> Any:
        return loss_of(scores_of(output), labels, subject.target)

    trained: dict[str, Any] = {}
    if options.training:  # else it has no optimizer
        trained = {"training": True, "optimizer": subject.optimizer, "loss": loss}
    asked = bench_options(
        ways=("compiled", *options.ways), kernels=kernels, rounds=options.rounds, **trained
    )
    title = f"{model.name} ({size}, float32 on {options.device})"
    return benched(subject.module, (), subject.inputs, asked, title)

"""Recorders with the requested options, and the names of what they record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from dynamo_lab.errors import OptionError
from dynamo_lab.record.cells import cell_label

if TYPE_CHECKING:
    from dynamo_lab.capture.core.recorder import Recorder

Detail = Literal["normal", "steps"]

MAX_STEPS = 100_000
"""The most steps recorded by default: a larger model is better viewed in parts."""


def new_recorder(
    title: str, detail: Detail = "normal", max_steps: int = MAX_STEPS, logs: str = ""
) -> Recorder:
    """A recorder of facts, and of steps and logs if requested.

    Raises:
        OptionError: there is no such detail or log, or no step would be recorded.
    """
    arguments = recorder_arguments(title, detail, max_steps, logs)
    from dynamo_lab.capture.core.recorder import Recorder

    return Recorder(**arguments)


def recorder_arguments(
    title: str, detail: Detail, max_steps: int, logs: str = ""
) -> dict[str, Any]:
    """The arguments of a recorder.

    Raises:
        OptionError: there is no such detail or log, or no step would be recorded.
    """
    if detail not in get_args(Detail):
        raise OptionError(f'There is no detail {detail!r}: pass "normal" or "steps".')
    if max_steps < 1:
        raise OptionError(f"max_steps={max_steps} records nothing: pass 1 or more.")
    from dynamo_lab.capture.steps.columns import StepColumns

    steps = StepColumns(max_steps) if detail == "steps" else None
    if logs:
        refuse_unknown_logs(logs)
    return {"title": title, "cell_label": cell_label, "steps": steps, "asked_logs": logs}


def refuse_unknown_logs(logs: str) -> None:
    """Raise where `TORCH_LOGS` would not take these.

    Raises:
        OptionError: PyTorch knows no such log.
    """
    from dynamo_lab.capture.logs.live import parse

    parse(logs)


def refuse_uncallable(fn: Any) -> None:
    """Raise where there is nothing to call.

    Raises:
        OptionError: `fn` is not callable.
    """
    if not callable(fn):
        raise OptionError(
            f"{fn!r:.80} cannot be called: pass a function or a module, then its arguments."
        )


def refuse_compiled(fn: Any) -> None:
    """Raise for what `torch.compile` returned: there would be no eager variant.

    Raises:
        OptionError: `fn` is compiled already.
    """
    marks = ("_orig_mod", "_torchdynamo_orig_callable", "_compiled_call_impl")
    if any(getattr(fn, mark, None) is not None for mark in marks):
        raise OptionError(
            f"{name_of(fn)} is compiled already, so there is no eager variant: pass what you gave "
            "to torch.compile."
        )


def refuse_unless_evaluated(model: Any) -> None:
    """Raise for what is no module, or one that trains.

    Raises:
        OptionError: `model` is no module in evaluation mode.
    """
    import torch

    if not isinstance(model, torch.nn.Module):
        raise OptionError(f"The model is {type(model).__name__}: pass a torch.nn.Module.")
    if model.training:
        raise OptionError("The model is in training mode: call model.eval() first.")


def name_of(thing: Any) -> str:
    """The name of an option or a program in a recording."""
    if isinstance(thing, str | bool | dict):
        return str(cast("object", thing))
    return getattr(thing, "__name__", type(thing).__name__)

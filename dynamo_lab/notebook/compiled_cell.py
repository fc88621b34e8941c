"""A cell compiled as one function, in its first run or in another."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from dynamo_lab.record.lower import lab_options, recording_into
from dynamo_lab.record.recorders import new_recorder
from dynamo_lab.record.run import Choice, Run

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.record.cells import CellFrame


def recorded(
    title: str,
    frame: CellFrame,
    namespace: dict[str, Any],
    options: argparse.Namespace,
    choice: Choice,
) -> tuple[Run, Any]:
    """Another run of a cell, and the value of its last line."""
    shown, recorder = None, new_recorder(title)
    recorder.options.update(described(choice))
    recording = recording_into(recorder, choice, roots=_given(frame, namespace))
    with suppress(Exception), closing(recording), recording:  # which stores the exception
        shown = run_frame(frame, options, choice, namespace)
    return Run.of(recorder, recorder.recording), shown


def _given(frame: CellFrame, namespace: dict[str, Any]) -> list[Any]:
    """What the frame of a cell is given: variables that the notebook has."""
    return [namespace[name] for name in frame.parameters if name in namespace]


def run_frame(
    frame: CellFrame, options: argparse.Namespace, choice: Choice, namespace: dict[str, Any]
) -> Any:
    """The value of a cell's last line, once the cell ran compiled."""
    exec(frame.definitions, namespace)
    if frame.code is None:
        return None
    import torch

    compiled: Any = torch.compile(  # pyright: ignore[reportUnknownMemberType]
        frame.function(namespace),
        backend=choice.backend,
        mode=choice.mode,
        dynamic=choice.dynamic,
        fullgraph=choice.fullgraph,
        options=lab_options(choice),
    )
    return compiled(*(namespace[name] for name in frame.parameters))


def described(options: argparse.Namespace | Choice) -> dict[str, str]:
    """The options of `torch.compile` that were chosen, for the recording."""
    names = ("backend", "mode", "dynamic", "fullgraph")
    return {n: str(getattr(options, n)) for n in names if getattr(options, n) is not None}

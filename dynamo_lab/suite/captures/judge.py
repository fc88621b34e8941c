"""Tries a program in each way, in a process of its own that tells as it goes."""

from __future__ import annotations

import copy
import os
import warnings
from collections import Counter
from typing import TYPE_CHECKING

import torch
from msgspec import Struct

from dynamo_lab.record.explore import explore
from dynamo_lab.record.run import Choice
from dynamo_lab.suite.captures.facts import Outcome, Way
from dynamo_lab.suite.corpus.corpus import program_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from dynamo_lab.model.recording import Recording
    from dynamo_lab.suite.corpus.program import Program


class Begun(Struct, frozen=True):
    """A way that is tried from now on."""

    way: Way


class Told(Struct, frozen=True):
    """What became of the program in a way; the numbers are Dynamo's."""

    way: Way
    outcome: Outcome
    graphs: int | None = None
    breaks: dict[str, int] = {}


def judge(name: str, line: Connection) -> None:
    """Try the program of this name, and tell over the line; nothing is printed."""
    _silence()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    line.send(Begun("eager"))
    try:
        torch.manual_seed(0)
        program = program_of(name).build()
        with torch.no_grad():
            program.run(program.fn)
    except Exception as error:
        line.send(Told("eager", _failed(error)))
        return
    line.send(Told("eager", Outcome("whole")))
    for way, capture in CAPTURES.items():
        line.send(Begun(way))
        line.send(capture(program))


def _by_dynamo(program: Program) -> Told:
    args, kwargs = copy.deepcopy((program.args, program.kwargs))
    choice = Choice(grad=False)
    recording = explore(program.fn, args, kwargs, choice, backend="eager").facts
    graphs = len(recording.captured_graphs())
    breaks = Counter(one.gb_type for one in recording.breaks)
    return Told("dynamo", _outcome(recording, graphs), graphs, dict(breaks))


def _outcome(recording: Recording, graphs: int) -> Outcome:
    if recording.failure and not recording.failure.caught:
        failure = recording.failure
        return Outcome("failed", _short(f"{failure.type}: {failure.message}"))
    if not graphs:
        reasons = [frame.reason for frame in recording.frames if frame.reason]
        told = [one.gb_type for one in recording.breaks] or reasons
        return Outcome("nothing", _short(told[0]) if told else "")
    if recording.breaks:
        return Outcome("breaks", recording.breaks[0].gb_type)
    return Outcome("whole" if graphs == 1 else "parts")


def _by_script(program: Program) -> Told:
    """TorchScript counts if what it compiled also runs."""
    return _tried("script", lambda: program.run(torch.jit.script(program.fn)))


def _by_export(program: Program) -> Told:
    args, kwargs = copy.deepcopy((program.args, program.kwargs))
    return _tried("export", lambda: torch.export.export(program.module(), args, kwargs))


def _tried(way: Way, capture: Callable[[], object]) -> Told:
    try:
        with torch.no_grad():
            capture()
    except Exception as error:
        return Told(way, _failed(error))
    return Told(way, Outcome("whole"))


CAPTURES: dict[Way, Callable[[Program], Told]] = {
    "dynamo": _by_dynamo,
    "script": _by_script,
    "export": _by_export,
}
"""The ways of capturing a program that runs, in the order in which they are tried."""


def _failed(error: Exception) -> Outcome:
    return Outcome("failed", _short(f"{type(error).__name__}: {error}"))


def _short(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return next((line[:200] for line in lines if line), "")


def _silence() -> None:
    """What libraries print, also from C++, goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)

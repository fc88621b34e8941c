"""Runs that are kept, a file each: what a benchmark found, and where, when and how it ran."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import msgspec
from msgspec import Struct

STORED = Path(__file__).parent / "stored"


class Run(Struct, frozen=True, kw_only=True):
    """A run of a benchmark: what it found by name, where and when, and the command that made it.

    `differs` says in what it differs from what was announced.
    """

    figure: str
    rows: dict[str, str]
    machine: str
    software: str
    date: str
    command: str
    differs: str = ""


def store(path: str, figure: str, rows: dict[str, str], device: str, differs: str) -> None:
    """Write a run of now."""
    from dynamo_lab.measure.machine import describe_machine

    machine = describe_machine(device)
    name = machine.processor if device == "cpu" else machine.device
    where = f"{machine.threads} threads of an {name}" if device == "cpu" else name
    triton = f", triton {machine.triton}" if machine.triton and device != "cpu" else ""
    module = Path(sys.argv[0]).parent.name
    run = Run(
        figure=figure,
        rows=rows,
        machine=where + (", busy" if machine.is_busy else ""),
        software=f"torch {machine.torch}{triton}",
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        differs=differs,
        command=" ".join([f"python -m tests.benchmarks.{module}", *sys.argv[1:]]),
    )
    Path(path).write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=2) + b"\n")


def stored() -> list[Run]:
    """Every run that is kept, by the name of its file."""
    files = sorted(STORED.glob("*.json"))
    return [msgspec.json.decode(path.read_bytes(), type=Run) for path in files]

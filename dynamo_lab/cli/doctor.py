"""`dynamo-lab doctor`: whether this machine and its PyTorch have what dynamo_lab needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.cli.core.options import add_command
from dynamo_lab.render.tables import table
from dynamo_lab.render.text import as_line

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.capture.doctor.machine import Fact
    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "doctor", "say what this machine and its PyTorch lack", run)
    parser.epilog = "Exit code 1: something essential is missing."


def run(_: argparse.Namespace) -> int:
    """Print what was found; 1 if something essential is missing."""
    from dynamo_lab.capture.doctor import machine, names

    known = list(machine.facts())
    for line in table([(_mark(fact), fact.name, _text(fact)) for fact in known]):
        print(line)
    lacks = names.lacks() if known[1].found else []
    print()
    print(
        f"PyTorch has {names.count() - len(lacks)} of the {names.count()} private names looked for."
    )
    for noun, row in lacks:
        print(f"missing  {noun}: {row.path} (known since {row.since})")
        print(f"         {row.lost}")
    return int(any(fact.is_needed and not fact.found for fact in known))


def _mark(fact: Fact) -> str:
    return "ok" if fact.found else "MISSING" if fact.is_needed else "none"


def _text(fact: Fact) -> str:
    return as_line(fact.found) if fact.found else fact.advice

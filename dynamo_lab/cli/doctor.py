"""`dynamo-lab doctor`: what this machine and its PyTorch have of what dynamo_lab needs."""

import argparse
from collections.abc import Callable
from typing import Any

from dynamo_lab.render.tables import table, visible

_HELP = "say what this machine and its PyTorch lack"
_EXITS = "Exit code 1: something that nothing works without is missing."


def add(subparsers: Any) -> argparse.ArgumentParser:
    """The command's options."""
    return subparsers.add_parser("doctor", help=_HELP, description=f"S{_HELP[1:]}.", epilog=_EXITS)


def run(options: argparse.Namespace, say: Callable[[str], None] = print) -> int:
    """Print what was found; 1 where something that is needed is missing."""
    from dynamo_lab.capture.doctor import machine, names

    known = list(machine.facts())
    for line in table([(_mark(fact), fact.name, _told(fact)) for fact in known]):
        say(line)
    lacks = names.lacks() if known[1].found else []
    say("")
    say(
        f"PyTorch has {names.count() - len(lacks)} of the {names.count()} private names looked for."
    )
    for noun, row in lacks:
        say(f"missing  {noun}: {row.path} (known since {row.since})")
        say(f"         {row.lost}")
    return int(any(fact.is_needed and not fact.found for fact in known))


def _mark(fact: Any) -> str:
    return "ok" if fact.found else "MISSING" if fact.is_needed else "none"


def _told(fact: Any) -> str:
    return visible(fact.found) if fact.found else fact.advice

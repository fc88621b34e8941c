"""`dynamo-lab suite --capture`: its list, its run and its table."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from msgspec import structs

from dynamo_lab.errors import SuiteError
from dynamo_lab.model.core.files import write_output

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.suite.captures.facts import Captured
    from dynamo_lab.suite.supervisor import Limits


_MEMORY = 8 << 30
"""Bytes for a process that has no other limit: some configurations cannot be made small."""


def list_programs(asked: str) -> int:
    """Print the names of the programs, a family a line, and what brings none."""
    from dynamo_lab.suite.corpus.corpus import FAMILIES, chosen, entries_of, family_of

    names = chosen(asked)
    for family in dict.fromkeys(map(family_of, names)):
        within = [name.partition(":")[2] for name in names if family_of(name) == family]
        print(f"{family} ({len(within)}): {', '.join(within)}")
    print(f"{len(names)} programs")
    missing = [one for one in FAMILIES if not entries_of(one.name)]
    for family in () if asked else missing:
        print(f"{family.name}: none; the package {family.package}, or what it needs, is missing")
    return 0


def run_captures(path: str, limits: Limits, options: argparse.Namespace) -> bool:
    """Whether the run finished; the facts so far are in the file.

    Raises:
        SuiteError: there is no such program, the sample is none, or the file cannot be written.
    """
    from dynamo_lab.suite.captures.run import run
    from dynamo_lab.suite.captures.text import fact_line
    from dynamo_lab.suite.corpus.corpus import chosen, sampled

    def report(fact: Captured, number: int, total: int) -> None:
        print(fact_line(fact, number, total), file=sys.stderr, flush=True)

    workers = options.workers or os.cpu_count() or 1
    if limits.memory is None:
        limits = structs.replace(limits, memory=_MEMORY)
    names = chosen(options.models)
    if options.sample is not None and options.sample < 1:
        raise SuiteError(f"--sample {options.sample} tries nothing: pass 1 or more.")
    seed: int | None = None
    if options.sample is not None and options.sample < len(names):
        seed = options.seed
        names = sampled(names, options.sample, options.seed)
    again = options.again
    try:
        run(names, path, limits, workers, again=again, report=report, seed=seed)
    except KeyboardInterrupt:
        print("Stopped: the same command continues from here.", file=sys.stderr)
        return False
    return True


def print_table(path: str, options: argparse.Namespace, width: int) -> None:
    """Print the table of the facts in a file, and write the page if one is asked for."""
    import msgspec

    from dynamo_lab.suite.captures.facts import read
    from dynamo_lab.suite.captures.table import build
    from dynamo_lab.suite.captures.text import table_text

    table = build(read(path, must_exist=bool(options.show)))
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(table), indent=2).decode())
    else:
        print(table_text(table, width))
    if options.html:
        from dynamo_lab.suite.captures.page import page

        write_output(options.html, page(table))

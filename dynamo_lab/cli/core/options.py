"""Options that several commands have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # pyright: ignore[reportPrivateUsage]
"""Where a command adds itself; argparse has no public name for it."""

MIN_WIDTH = 40
"""The fewest columns that a table fits in."""

WHOLE = {"graph": None, "kernel": None, "stage": None, "to": "inductor", "explain": False}
"""What `show` lets a user choose, for a command that prints all of a recording."""


def add_command(
    commands: Commands, name: str, sentence: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """The parser of a command that `run` runs; the sentence is its help, without the full stop."""
    parser = commands.add_parser(
        name, help=sentence, description=f"{sentence[0].upper()}{sentence[1:]}."
    )
    parser.set_defaults(run=run)
    return parser


def add_recording(
    parser: argparse.ArgumentParser, told: str = "a saved file, or a notebook"
) -> None:
    """The file to read, and which recording in it."""
    parser.add_argument("recording", metavar="RECORDING", help=told)
    add_cell(parser)


def add_cell(parser: argparse.ArgumentParser, told: str = "", **kind: Any) -> None:
    """`--cell`, which `kept.load` takes; `told` is what more is to be said of it."""
    sentence = f"of a notebook: the cell that it shows as [N]{told}"
    parser.add_argument("--cell", type=int, metavar="N", help=sentence, **kind)


def add_stage(parser: argparse.ArgumentParser) -> None:
    """`--stage`, of the graph that `--graph` chooses."""
    parser.add_argument("--stage", metavar="NAME", help="this stage of it: forward, post_grad, ...")


def add_outputs(parser: argparse.ArgumentParser, json: str) -> None:
    """`--html` and `--json`, for the files that `files.writers` writes."""
    parser.add_argument("--html", metavar="PAGE", help="write one offline page to this file")
    parser.add_argument("--json", metavar="FILE", help=json)


def add_sections(parser: argparse.ArgumentParser, flag: str = "--section") -> None:
    """The sections to print, under the name that the command has for them, and `--width`."""
    parser.add_argument(
        flag,
        dest="section",
        metavar="NAMES",
        help="only these sections: breaks,graphs,kernels (a wrong name lists them all)",
    )
    add_width(parser)


def add_width(parser: argparse.ArgumentParser) -> None:
    """`--width`, which `parser.parse` keeps above a readable minimum."""
    told = f"columns to print in, from {MIN_WIDTH}"
    parser.add_argument("--width", type=int, metavar="N", help=told)

"""The requested parts of a view: sections, a graph at a stage, a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from dynamo_lab.errors import OptionError
from dynamo_lab.view.graphs.graphs import stage_word

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.view.graphs.graphs import GraphView
    from dynamo_lab.view.view import View

T = TypeVar("T")


def sections(options: argparse.Namespace) -> tuple[str, ...] | None:
    """The requested sections; a graph or a kernel requested by number is its own section."""
    asked = [name.strip() for name in (options.section or "").split(",") if name.strip()]
    asked += ["graphs"] * (options.graph is not None) + ["kernels"] * (options.kernel is not None)
    return tuple(dict.fromkeys(asked)) or None


def with_one_kernel(view: View, options: argparse.Namespace) -> View:
    """The view with only the kernel requested by number."""
    if options.kernel is None:
        return view
    kernels = one("kernel", view.kernels.kernels, options.kernel)
    return replace(view, kernels=replace(view.kernels, kernels=kernels))


def graphs(view: View, options: argparse.Namespace) -> tuple[GraphView, ...] | None:
    """The graph requested by number and stage, with the bodies in it; None for no choice.

    Raises:
        OptionError: there is no such graph or stage, or a stage is requested without a graph.
    """
    if options.graph is not None:
        return _at_stage(_of_number(view, options.graph), options)
    if options.stage is not None:
        raise OptionError("--stage chooses a stage of one graph: pass --graph N as well.")
    return None


def _of_number(view: View, number: int) -> list[GraphView]:
    found = [graph for graph in view.graphs if graph.number == number]
    if not found:
        known = max((graph.number for graph in view.graphs), default=0)
        there = f"pass 1 to {known}" if known > 1 else "pass 1" if known else "there are none"
        raise OptionError(f"There is no graph {number}: {there}.")
    return found


def _at_stage(of_number: list[GraphView], options: argparse.Namespace) -> tuple[GraphView, ...]:
    """Those at the requested stage: by default the captured one."""
    stages = tuple(dict.fromkeys(stage_word(graph) for graph in of_number))
    stage = options.stage or ("dynamo" if "dynamo" in stages else stages[0])
    if stage not in stages:
        known = ", ".join(stages)
        raise OptionError(f"Graph {options.graph} has no stage {stage!r}: pass {known}.")
    return tuple(graph for graph in of_number if stage_word(graph) == stage)


def one(word: str, rows: tuple[T, ...], number: int) -> tuple[T, ...]:
    """Only the row of this number.

    Raises:
        OptionError: there is none.
    """
    if 0 <= number < len(rows):
        return (rows[number],)
    if not rows:
        raise OptionError(f"There is no {word} {number}: the recording has no {word}s.")
    raise OptionError(f"There is no {word} {number}: pass 0 to {len(rows) - 1}.")

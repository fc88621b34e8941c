"""A view on the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from dynamo_lab.cli.core import selection
from dynamo_lab.cli.core.options import MIN_WIDTH

if TYPE_CHECKING:
    import argparse

    from rich.console import RenderableType

    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.view import View


def print_recording(recording: Recording, options: argparse.Namespace) -> None:
    """Print what is requested of a recording."""
    print_view(view_of(recording), options)


def view_of(recording: Recording) -> View:
    """The view of a recording; it needs modules that not every command needs."""
    from dynamo_lab.view import build

    return build(recording)


def print_view(view: View, options: argparse.Namespace) -> None:
    """Print what is requested of a view."""
    from dynamo_lab.render import terminal

    asked = selection.graphs(view, options)
    ids = None if asked is None else [graph.id for graph in asked]
    shown = selection.with_one_kernel(view, options), selection.sections(options)
    print_body(terminal.renderable(*shown, ids, options.to, options.explain), options)


def print_body(body: RenderableType, options: argparse.Namespace) -> None:
    """Print it as wide as the terminal, in colour where that has colours."""
    from dynamo_lab.render import terminal

    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    text = terminal.as_text(body, width=width_of(options), color=color)
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(errors="backslashreplace")  # for a terminal without UTF-8
    print(text)


def width_of(options: argparse.Namespace) -> int:
    """The requested number of columns, else that of the terminal."""
    return options.width or max(MIN_WIDTH, shutil.get_terminal_size((100, 0)).columns)

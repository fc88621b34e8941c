"""`dynamo-lab dot`: a graph for Graphviz."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dynamo_lab.cli.core import selection
from dynamo_lab.cli.core.files import refuse_unwritable
from dynamo_lab.cli.core.options import add_command, add_recording, add_stage
from dynamo_lab.cli.core.printing import view_of
from dynamo_lab.model.core.files import write_output
from dynamo_lab.model.core.kept import load

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "dot", "print a graph for Graphviz, its modules collapsed", run)
    option = parser.add_argument
    add_recording(parser)
    option("--graph", type=int, default=1, metavar="N", help="this graph, from 1")
    add_stage(parser)
    option("--around", metavar="NODE", help="only what is around the node of this name")
    option("--up", type=int, default=2, metavar="N", help="this many steps to its inputs")
    option("--down", type=int, default=2, metavar="N", help="this many steps to its users")
    option("--open", dest="collapse", action="store_const", const="none",
           default="modules", help="expand every module")  # fmt: skip
    option("--svg", metavar="FILE", help="write a picture instead; needs Graphviz")


def run(options: argparse.Namespace) -> int:
    """Print the graph, or write its picture."""
    from dynamo_lab.render.export import dot

    view = view_of(load(options.recording, options.cell))
    asked = [graph for graph in selection.graphs(view, options) or () if graph.parent is None]
    drawing = {name: getattr(options, name) for name in ("around", "up", "down", "collapse")}
    if options.svg is None:
        print(dot.dot(view.graphs, asked[0].id, **drawing), end="")
    else:
        refuse_unwritable(os.path.abspath(options.svg))
        text = dot.svg(view.graphs, asked[0].id, **drawing)
        write_output(options.svg, text)
    return 0

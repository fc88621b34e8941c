"""`dynamo-lab show`: a recording, or the requested part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace
from rich.console import Group

from dynamo_lab.cli.core import selection
from dynamo_lab.cli.core.options import add_command, add_recording, add_sections, add_stage
from dynamo_lab.cli.core.printing import print_body, print_view, view_of, width_of
from dynamo_lab.errors import OptionError
from dynamo_lab.model.core.kept import load

if TYPE_CHECKING:
    import argparse

    from rich.console import RenderableType

    from dynamo_lab.cli.core.options import Commands
    from dynamo_lab.view.graphs.graphs import GraphView
    from dynamo_lab.view.view import View


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "show", "print a recording", run)
    add_recording(parser)
    _add_choices(parser)
    parser.add_argument(
        "--to",
        default="inductor",
        metavar="SET",
        help="the operator set to decompose to: core_aten, inductor or prims",
    )
    parser.add_argument("--explain", action="store_true", help="say how to read each section")
    parser.add_argument("--json", action="store_true", help="print it as JSON, for a program")
    add_sections(parser)


def _add_choices(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("--graph", type=int, metavar="N", help="only this graph, from 1")
    add_stage(parser)
    option("--kernel", type=int, metavar="N", help="only the kernel of this number")
    option("--assembly", metavar="LEVEL", help="its assembly: PTX, SASS, ...")
    option("--find", metavar="QUERY", help="the matching nodes, as in 'op:mm shape:*x128'")
    option("--why-not", nargs=2, metavar=("A", "B"),
           help="why two operations, buffers or nodes are not fused")  # fmt: skip
    option("--journey", metavar="WHAT",
           help="the way of a thing: 'line 8: relu(x)', a node, a kernel")  # fmt: skip
    option("--outline", action="store_true", help="the modules of graphs, not the nodes")
    option("--unfold", action="store_true", help="every node, also of repeated blocks")


def run(options: argparse.Namespace) -> int:
    """Print the recording, or the requested part or answer."""
    recording = load(options.recording, options.cell)
    if options.why_not is not None:
        from dynamo_lab.api.why_not import ask

        print(ask(recording, *options.why_not))
        return 0
    view = view_of(recording)
    if options.unfold:
        view = replace(view, graphs=tuple(replace(one, repeats=()) for one in view.graphs))
    if options.journey is not None:
        print_body(_journey(view, options.journey), options)
        return 0
    if options.assembly is not None:
        print_body(_level(view, options), options)
    elif options.find is not None or options.outline:
        print_body(_of_nodes(view, options), options)
    elif options.json:
        print(_json(view, options))
    else:
        print_view(view, options)
    return 0


def _journey(view: View, asked: str) -> RenderableType:
    """The way of one thing through the compiler."""
    from dynamo_lab.render.terminal.journey import renderable
    from dynamo_lab.view.journey.journey import journey

    return renderable(journey(view, asked))


def _level(view: View, options: argparse.Namespace) -> RenderableType:
    """The requested level of the assembly."""
    from dynamo_lab.render.terminal.kernels.kernels import level

    if options.kernel is None:
        raise OptionError("--assembly prints a level of one kernel: pass --kernel N as well.")
    selection.one("kernel", view.kernels.kernels, options.kernel)
    found = [one for one in view.kernels.assemblies if one.kernel == options.kernel]
    if not found:
        raise OptionError(
            f"The recording has no assembly of kernel {options.kernel}: record it with "
            "`dynamo-lab explore SCRIPT --assembly`."
        )
    return Group(*level(found[0], options.assembly))


def _of_nodes(view: View, options: argparse.Namespace) -> RenderableType:
    """The found nodes, or the modules of the requested graphs, by default the captured ones."""
    from dynamo_lab.render.terminal.core.parts import Page
    from dynamo_lab.render.terminal.graphs.outline import found, outlines

    asked = selection.graphs(view, options)
    if options.find is not None:
        ids = [graph.id for graph in asked or view.graphs]
        page = Page(width=width_of(options), everything=True)
        return Group(*found(view, options.find, ids, page))
    return Group(*outlines(view, [graph.id for graph in asked or _captured(view)]))


def _captured(view: View) -> list[GraphView]:
    return [graph for graph in view.graphs if graph.stage == "dynamo" and graph.parent is None]


def _json(view: View, options: argparse.Namespace) -> str:
    """The requested sections of the view, with only the requested graphs and kernels."""
    asked = selection.graphs(view, options)
    view = selection.with_one_kernel(view, options)
    if asked is not None:
        view = replace(view, graphs=asked)
    fields, sections = view.__struct_fields__, selection.sections(options)
    for name in sections or ():
        if name not in fields:
            raise OptionError(f"There is no section {name!r} in JSON: pass {', '.join(fields)}.")
    part = {name: getattr(view, name) for name in sections or fields}
    return msgspec.json.format(msgspec.json.encode(part), indent=2).decode()

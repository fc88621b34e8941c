"""The links: the index behind "hover anything, and everything related lights up".

Entities are named "line:<source>:<number>", "node:<graph>:<index>", "kernel:<id>", "break:<id>",
"frame:<id>", "guard:<index>", "buffer:<id>", "statement:<kernel>:<line>" and "expression:<index>".
They form levels, from the user's line down to the kernel, and to the statements in it:

    line (-> expression) -> node of a stage -> node of a later stage -> buffer -> kernel
                                                                     -> statement

The related entities of one are all above it and all below it.
"""

from itertools import chain

from msgspec import Struct

from dynamo_lab.model.recording import Recording


class LinksView(Struct, frozen=True, kw_only=True):
    """The edges, in the form in which the front-end follows them.

    `stacks[i]` lists the (source, line) pairs of stack i, outermost first; a node's `stack` column
    names it. `graph_links` are (upstream graph, downstream graph, pairs of node indices flattened
    to [up, down, up, down, ...]). Kernels name their graph and nodes themselves.
    """

    stacks: tuple[tuple[tuple[int, int], ...], ...]
    graph_links: tuple[tuple[int, int, tuple[int, ...]], ...]


def build(recording: Recording) -> LinksView:
    """The links of a recording, flattened."""
    spans = recording.spans
    return LinksView(
        stacks=tuple(
            tuple(dict.fromkeys((spans[i].source, spans[i].line) for i in stack))
            for stack in recording.stacks
        ),
        graph_links=tuple(
            (table.upstream, table.downstream, tuple(chain.from_iterable(table.pairs)))
            for table in recording.links
        ),
    )

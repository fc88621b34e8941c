"""Large views: what a page paints first, and what is left out that browsers cannot bear."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import structs

from dynamo_lab.model.core.codec import as_json
from dynamo_lab.view import View
from dynamo_lab.view.code.expressions import ExpressionsView
from dynamo_lab.view.compare.side_by_side import SideBySideView
from dynamo_lab.view.compiler.compiler import CompilerView
from dynamo_lab.view.core.links import LinksView
from dynamo_lab.view.decompositions.decompositions import DecompositionsView
from dynamo_lab.view.fusion.fusion import FusionsView
from dynamo_lab.view.kernels.kernels import KernelsView
from dynamo_lab.view.lowering.lowering import LoweringsView
from dynamo_lab.view.modules.modules import ModulesView
from dynamo_lab.view.passes.passes import PassesView
from dynamo_lab.view.view import NoteView

_AT_ONCE = 4_000_000
"""Bytes of JSON that a browser reads in well under a second."""

_MOST = 60_000_000
"""Bytes of JSON beyond which a view takes many seconds to open, and a gigabyte of memory."""


_LATER: Mapping[str, Any] = MappingProxyType(
    {
        "graphs": (),
        "links": LinksView(stacks=(), graph_links=()),
        "expressions": ExpressionsView(),
        "kernels": KernelsView(kernels=(), wrappers=()),
        "lowering": LoweringsView(),
        "decompositions": DecompositionsView(),
        "steps": None,
        "fusions": FusionsView(),
        "passes": PassesView(),
        "partitions": (),
        "compiler": CompilerView(),
        "modules": ModulesView(),
    }
)
"""The fields of a view that grow with its nodes, with what each is while it is not there yet."""


def beginning(view: View, size: int) -> View | None:
    """The answer alone, to be painted before the rest is read; None where all is read at once.

    `size` is that of the view as JSON, in bytes.
    """
    return structs.replace(view, **_LATER) if size > _AT_ONCE else None


def rest(view: View) -> Iterator[tuple[str, bytes]]:
    """What the beginning lacks, each field with its JSON: a browser reads one at a time."""
    for name, empty in _LATER.items():
        if (value := getattr(view, name)) != empty:
            yield name, as_json(value)


class _Part(NamedTuple):
    """What may be left out: its name, and the view without it, the same where it has none."""

    name: str
    without: Callable[[View], View]


def fitted(view: View, most: int = _MOST) -> tuple[View, bytes]:
    """The view as a browser can show it, and its JSON; a note says what is left out, if any."""
    packed = as_json(view)
    left_out: list[str] = []
    for part in _PARTS:
        if len(packed) <= most:
            break
        smaller = part.without(view)
        if smaller != view:
            view, left_out = smaller, [*left_out, part.name]
            packed = as_json(view)
    if left_out:
        view = structs.replace(view, notes=(_note(view, left_out), *view.notes))
        packed = as_json(view)
    return view, packed


def fitted_together(several: SideBySideView) -> bytes:
    """The JSON of several views, of which each may take its part of what a browser can bear."""
    packed = as_json(several)
    if len(packed) <= _MOST:
        return packed
    views = tuple(fitted(view, _MOST // len(several.views))[0] for view in several.views)
    return as_json(structs.replace(several, views=views))


def _note(view: View, left_out: list[str]) -> NoteView:
    nodes = sum(len(graph.name) for graph in view.graphs)
    return NoteView(
        level="warning",
        about="view",
        message=(
            f"This view leaves out {' and '.join(left_out)}: with {nodes:,} nodes in its graphs, a "
            "browser would not show them in time. The saved recording has everything; "
            "`dynamo-lab show` prints it."
        ),
    )


def _without_loops(view: View) -> View:
    buffers = tuple(structs.replace(one, body=()) for one in view.lowering.buffers)
    return structs.replace(view, lowering=structs.replace(view.lowering, buffers=buffers))


def _without_code(view: View) -> View:
    kernels = tuple(
        structs.replace(one, code="", statements=(), origins=()) for one in view.kernels.kernels
    )
    return structs.replace(view, kernels=structs.replace(view.kernels, kernels=kernels))


def _without_lowering(view: View) -> View:
    return structs.replace(view, lowering=LoweringsView())


def _without_decompositions(view: View) -> View:
    return structs.replace(view, decompositions=DecompositionsView())


_PARTS = (
    _Part("the loops of buffers", _without_loops),
    _Part("the code of kernels", _without_code),
    _Part("decompositions", _without_decompositions),
    _Part("the lowering of operators", _without_lowering),
)
"""The largest first, of those that say least about where to look."""

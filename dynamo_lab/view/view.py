"""The whole view of a recording: what each renderer draws."""

from msgspec import Struct

from dynamo_lab.view.breaks import BreakView
from dynamo_lab.view.code import SourceView
from dynamo_lab.view.frames import FrameView
from dynamo_lab.view.graphs import GraphView
from dynamo_lab.view.guards import GuardsView
from dynamo_lab.view.kernels import KernelsView
from dynamo_lab.view.links import LinksView
from dynamo_lab.view.summary import Summary
from dynamo_lab.view.timeline import TimelineView


class NoteView(Struct, frozen=True, kw_only=True):
    """A remark of the recorder, with its details."""

    level: str
    about: str
    message: str
    details: str = ""


class View(Struct, frozen=True, kw_only=True):
    """Everything to show of one recording. `main_source` is the index in `sources` shown first."""

    summary: Summary
    sources: tuple[SourceView, ...]
    main_source: int
    breaks: tuple[BreakView, ...]
    frames: tuple[FrameView, ...]
    graphs: tuple[GraphView, ...]
    guards: GuardsView
    kernels: KernelsView
    timeline: TimelineView
    links: LinksView
    notes: tuple[NoteView, ...]
    environment: tuple[tuple[str, str], ...]

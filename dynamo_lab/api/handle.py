"""A recording as the user gets it: its facts, the live parts of its run, and how to show it."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypedDict, Unpack

from msgspec import structs

from dynamo_lab.api.settings import EVALUATES_NOTHING, settings
from dynamo_lab.live.session import Session
from dynamo_lab.model.core import codec
from dynamo_lab.model.core.files import write_output
from dynamo_lab.model.recording import Recording as Facts
from dynamo_lab.render.tables import terminal_width
from dynamo_lab.render.text import as_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dynamo_lab.api.journey import Journey
    from dynamo_lab.api.modules.modules import Modules
    from dynamo_lab.api.why_not import WhyNot
    from dynamo_lab.render.widget import Looks, Runs, Waiting
    from dynamo_lab.view.search import FoundNode


class Drawing(TypedDict, total=False):
    """The options of a drawing; `Recording.to_dot` says what each does."""

    around: str | int | None
    up: int
    down: int
    collapse: Literal["modules", "none"]
    inputs: bool | None


class Home:
    """The facts and the session of a recording, for its breaks and graphs to hold.

    They do not hold the recording, which holds them: a struct of plain values is not seen by
    Python's garbage collector, so a circle through one is never freed.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.session = Session()

    @cached_property
    def called(self) -> frozenset[int]:
        """The frames of functions that other compiled code calls: each break asks for its own."""
        from dynamo_lab.view.breaks.math_calls import called_frames

        return called_frames(self.facts)


class Handle(Facts, frozen=True, kw_only=True, dict=True):
    """Facts with a session, which is not part of them: not saved, not compared, not copied."""

    made_at: ClassVar[int] = 0
    """When it was made: says which of two came last, whatever the dates in them."""

    def __post_init__(self) -> None:
        structs.force_setattr(self, "made_at", time.perf_counter_ns())

    @classmethod
    def of(cls, facts: Facts, session: Session) -> Self:
        """The handle of these facts, which owns the session."""
        made = cls(**structs.asdict(facts))
        made._home.session = session
        return made

    @cached_property
    def _home(self) -> Home:
        return Home(Facts(**structs.asdict(self)))

    @property
    def session(self) -> Session:
        """The live parts of the run; nothing if the recording was loaded from a file."""
        return self._home.session

    def runs(self) -> Runs | None:
        """How a view runs the program again, or None if the program is not available."""
        return None

    def find(self, query: str, graph: int | None = None) -> tuple[FoundNode, ...]:
        """The nodes that a query finds, in all graphs or in the one of this id.

        A query joins conditions: `op:mm dtype:f32`, `shape:*x128 -module:head`, `line:12`,
        `bytes:>1MB`, `users:0`, `stage:backward`, or any text.

        Raises:
            QueryError: the query is not valid, or there is no such graph.
        """
        from dynamo_lab.view.search import found

        return tuple(found(self, query, graph))

    def why_not_fused(self, one: str, other: str, graph: int | None = None) -> WhyNot:
        """Why Inductor did not fuse two operations, and what would change it; print the answer.

        `one` and `other` name any two operations ("op3"), buffers ("buf3") or nodes ("add_2") of a
        post-grad graph, even two that were never considered as a pair. `graph` is that graph's id,
        by default the first that has both. `fusions` holds every verdict.

        Raises:
            FusionError: nothing was scheduled, or there is no such name or graph.
        """
        from dynamo_lab.api.why_not import ask

        return ask(self, one, other, graph)

    def journey(self, asked: str) -> Journey:
        """The whole way of one thing, from your line to the time of its kernels; print the answer.

        `asked` is "line 8" of the source that is shown first, "model.py:8", "line 8: torch.relu(x)"
        for the call or operator of that text in it, or the shortest that holds it, the name of a
        node, a buffer ("buf3"), an operation ("op3") or a kernel, or "kernel 0 line 12". Of a name
        that several graphs have, the first graph's node is taken. `stations` go from your code over
        the captured nodes, ATen operators, decomposed nodes, fused groups and kernels to
        instructions and times; one without a stop says why.

        Raises:
            JourneyError: there is no such thing in the recording.
        """
        from dynamo_lab.api.journey import ask

        return ask(self, asked)

    @property
    def modules(self) -> Modules:
        """Your modules as a tree, with what each became and costs; print it.

        `rows` are the modules, an outer one before those in it, repeated blocks below one row for
        all of them, which says in `differences` which of them are not like the others. What a
        module computes alone (`calls`, `seconds`, `bytes`) adds up; kernels fused of several
        modules are `shared` by each. None is unknown: seconds without a benchmark, say.
        """
        from dynamo_lab.api.modules.modules import modules_of

        return modules_of(self)

    def link(self, asked: str, page: str = "") -> str:
        """The address of one thing on the recording's page: "page.html#kernel=3&line=12".

        `asked` is as for `journey`, `page` the file that `to_html` wrote, or its address.

        Raises:
            JourneyError: there is no such thing in the recording.
        """
        from dynamo_lab.api.journey import link

        return link(self, asked, page)

    def to_dot(self, graph: int, **options: Unpack[Drawing]) -> str:
        """A graph as DOT: modules collapsed, or what is around a node.

        `graph` is its id, which is its index in `graphs`, from 0; views count graphs from 1, all
        stages of one together. `around` is a node's name, `up` and `down` how many steps to go from
        it; `collapse="none"` expands every module, and `inputs=True` shows parameters, which are
        omitted if there are many.

        Raises:
            DrawingError: there is no such graph or node, or too much to collapse.
        """
        from dynamo_lab.render.export.dot import dot
        from dynamo_lab.view.graphs.graphs import build

        return dot(build(self), graph, **options)

    def to_svg(self, graph: int, **options: Unpack[Drawing]) -> str:
        """The same as SVG, laid out by Graphviz.

        Raises:
            DrawingError: as `to_dot`, there are too many boxes, or Graphviz is not installed.
        """
        from dynamo_lab.render.export.dot import svg
        from dynamo_lab.view.graphs.graphs import build

        return svg(build(self), graph, **options)

    def save(self, path: str | Path) -> None:
        """Write the recording as JSON, compressed if `path` ends in ".gz"."""
        codec.save(self, path)

    def to_html(self, path: str | Path) -> None:
        """Write one interactive page that works offline and loads nothing from elsewhere.

        Raises:
            OutputError: the file cannot be written; a page of this name is then as it was.
        """
        from dynamo_lab.render.page import page
        from dynamo_lab.view import build

        write_output(path, page(build(self)))

    def export(self, path: str | Path, format: str) -> tuple[Path, ...]:
        """Write it for another tool, and return the written files.

        Args:
            path: The file to write, compressed if its name ends in ".gz".
            format: "perfetto", a trace of compile phases and of measured kernels; "model-explorer",
            the graphs, with what is known of their nodes: sizes, and times if a
            benchmark was recorded; "tritonparse", Triton kernels with their assembly.

        Raises:
            OptionError: there is no such format.
            ExportError: it has nothing that the format can hold.
            OutputError: a file cannot be written.
        """
        from dynamo_lab.render.export.formats import export

        return export(self, path, format)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal import render
        from dynamo_lab.view import build

        can_try = self.session.program is not None
        return render(
            build(self),
            color=False,
            width=terminal_width(),
            can_try=can_try,
            can_export=bool(self.session.export_calls),
        )

    def __repr__(self) -> str:
        captured = len(self.captured_graphs())
        failed = f", failed with {as_line(self.failure.type)}" if self.failure else ""
        return (
            f"<Recording of {as_line(self.title)}: {captured} graphs, {len(self.breaks)} breaks, "
            f"{len(self.kernels)} kernels{failed}>"
        )

    def show(self, looks: Looks | None = None) -> None:
        """Show it where this code runs: interactively in a notebook, as text elsewhere."""
        from IPython.core.getipython import get_ipython

        from dynamo_lab.record.cells.ran import follow
        from dynamo_lab.render.display import display

        follow(get_ipython())
        display(self, begin, self.runs(), looks or settings().looks_on_demand())

    def _ipython_display_(self) -> None:
        self.show()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.page import fallback
        from dynamo_lab.view import build

        return {"text/plain": str(self), "text/html": fallback(build(self))}


_EVALUATING = frozenset({"would_pass", "edit_kernel", "recompile", "cell", "draft"})
"""The questions that evaluate or build a text that a view sends, or let it change a cell."""


def answer(
    recording: Facts, question: str, asked: dict[str, Any], waiting: Waiting | None = None
) -> dict[str, Any]:
    """The result of a view's question: an "answer" as JSON, or an "error" of one sentence."""
    found = begin(recording, question, asked, waiting)
    return found() if callable(found) else found


def begin(
    recording: Facts, question: str, asked: dict[str, Any], waiting: Waiting | None = None
) -> dict[str, Any] | Callable[[], dict[str, Any]]:
    """The same, or a function that waits for it where another process works it out."""
    from dynamo_lab.live import answers
    from dynamo_lab.measure.rounds import Watch

    if question in _EVALUATING and not settings().evaluates:
        return {"error": EVALUATES_NOTHING}
    watch = Watch()
    if waiting is not None:
        waiting.on_stop = watch.stop
    session = recording.session if isinstance(recording, Handle) else Session()
    return answers.begin(recording, session, question, asked, watch)

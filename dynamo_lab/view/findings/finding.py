"""A finding: what is wrong, at which line, the evidence, and the remedy with its grade and gain."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from msgspec import Struct

from dynamo_lab.model.guards.symbols import ShapeFact
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks import kernel_times
from dynamo_lab.view.benchmarks.kernel_times import KernelTimesView
from dynamo_lab.view.benchmarks.work import Works
from dynamo_lab.view.breaks import breaks, stories
from dynamo_lab.view.breaks.breaks import BreakView
from dynamo_lab.view.breaks.math_calls import called_frames
from dynamo_lab.view.breaks.stories import StoryView
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.core.regions import Regions
from dynamo_lab.view.findings.changes import Change
from dynamo_lab.view.findings.edits import SourceEdit
from dynamo_lab.view.findings.ops import Readers, readers
from dynamo_lab.view.guards.compilations import Compilations

Question = Literal[
    "numbers", "breaks", "recompilations", "compile_time", "speed", "memory", "export"
]
"""What the reader asks: why is it wrong, why does it break, why again, why does compiling take so
long, why is it slow, why does it take more memory, why does it not export?"""

Grade = Literal["safe", "may change meaning", "fill in", "none"]
"""How far a remedy can be applied as it stands, as the Rust compiler grades its suggestions: it
keeps the meaning, it may change it, the reader has to fit it to the program, or none is known."""

Metric = Literal[
    "seconds a call",
    "seconds of compiling",
    "bytes",
    "breaks",
    "graphs",
    "kernel calls",
    "recompilations",
]


class Evidence(Struct, frozen=True, kw_only=True):
    """A fact that a finding rests on: `tab` shows it, with `entity` ("break:0") selected there."""

    text: str
    tab: str
    entity: str = ""


class Gain(Struct, frozen=True, kw_only=True):
    """What a remedy is foretold to change, and how that is known: measured, replayed, counted."""

    metric: Metric
    before: float
    after: float
    how: str


class Finding(Struct, frozen=True, kw_only=True):
    """One conclusion. `code` is what the reader would write: a setting, or a diff.

    `entity` is the line ("line:<source>:<number>"). `cost` is the share, from 0 to 1, of what the
    question is about (time of compiling, of a call, memory) that the remedy is about; a failure
    costs all of it. A "note" is worth knowing and needs no change. `grade_text` and `gain_text` say
    grade and gain in words, `edit` what changes in the reader's text, `code_place` where the code
    goes if that is not the line: a rule leaves them empty.
    """

    id: int = 0
    rule: str
    question: Question
    level: Literal["problem", "note"] = "problem"
    sentence: str
    where: str = ""
    entity: str = ""
    evidence: tuple[Evidence, ...] = ()
    grade: Grade = "none"
    remedy: str = ""
    code: str = ""
    gain: Gain | None = None
    cost: float = 0.0
    can_apply: bool = False
    grade_text: str = ""
    gain_text: str = ""
    edit: SourceEdit | None = None
    code_place: str = ""


class Found(NamedTuple):
    """A finding as its rule found it, with how to apply the remedy.

    `about` are the entities whose trouble it tells ("break:0"), `explains` those that are only its
    consequence: what is found about them alone is left out.
    """

    finding: Finding
    change: Change | None = None
    line: Line | None = None
    about: frozenset[str] = frozenset()
    explains: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Facts:
    """What rules read; what several of them compute from it is computed once, when first asked."""

    recording: Recording
    places: Places
    regions: Regions
    ancestry: Ancestry

    @cached_property
    def breaks(self) -> tuple[BreakView, ...]:
        """The breaks in the order they happened."""
        return breaks.build(self.recording, self.places, self.called)

    @cached_property
    def called(self) -> frozenset[int]:
        """The frames of functions that other compiled code calls."""
        return called_frames(self.recording)

    @cached_property
    def stories(self) -> tuple[StoryView, ...]:
        """The story of each break."""
        return stories.build(self.recording, self.places)

    @cached_property
    def compilations(self) -> Compilations:
        """Frame, graph, symbols and guards of each compilation."""
        return Compilations(self.recording)

    @cached_property
    def refused_marks(self) -> dict[int, ShapeFact]:
        """By frame, what PyTorch said first of a size that was marked dynamic and cannot be."""
        said = [one for one in self.recording.shape_facts if one.event == "violation"]
        return {one.frame: one for one in reversed(said)}

    def readers(self, graph: int) -> Readers:
        """By node of a graph, those that read what it produces."""
        if graph not in self._readers:
            self._readers[graph] = readers(self.recording.graphs[graph].nodes)
        return self._readers[graph]

    @cached_property
    def _readers(self) -> dict[int, Readers]:
        return {}

    @cached_property
    def works(self) -> Works:
        """The bytes and operations of every call of a kernel."""
        return Works(self.recording)

    @cached_property
    def kernel_times(self) -> KernelTimesView:
        """The kernels against eager's operators, empty without a benchmark."""
        found = self.recording.benchmark
        if found is None:
            return KernelTimesView()
        return kernel_times.build(self.recording, found, self.places, self.ancestry)


Rule = Callable[[Facts], Iterator[Found]]
"""Finds what is wrong in one way; nothing on a program that is not."""

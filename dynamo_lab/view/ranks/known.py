"""What is known of each rank of a job, and its calls with the user's lines."""

import ast
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeGuard

from dynamo_lab.model.ranks.intervals import Interval, length, union, without
from dynamo_lab.model.ranks.ranks import Call, Rank
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.ranks.buckets import Buckets
from dynamo_lab.view.ranks.mesh.groups import GroupKey
from dynamo_lab.view.ranks.mesh.placements import Placements
from dynamo_lab.view.ranks.nodes import Nodes

_OTHER_RANKS_FAULT = re.compile(
    r"(?<!ProcessGroup)gloo|Connection (?:closed|reset|refused)|NCCL|Broken pipe|DistBackendError"
    r"|DistNetworkError|successfully reached monitoredBarrier, but received errors",
    re.IGNORECASE,
)
_LONGEST = 120
_Block = ast.If | ast.While | ast.For | ast.AsyncFor


class Known:
    """A rank of a job with its recording: of a rank that left nothing, only how it ended."""

    def __init__(
        self,
        label: str,
        recording: Recording,
        rank: Rank,
        ahead: float = 0.0,
        stands_for: Sequence[int] = (),
        is_planned: bool = False,
    ) -> None:
        self.label = label
        self.stands_for = stands_for
        """The ranks of a plan that are taken to do what it does, itself among them."""
        self.is_planned = is_planned
        """Whether it never ran, so that it met no other."""
        self.ahead = ahead
        """The seconds that were taken from its host's times, to be by another host's clock."""
        self.recording = recording
        self.rank = rank
        self.places = Places(recording)

    @cached_property
    def calls(self) -> Mapping[GroupKey, Mapping[int, Call]]:
        """Its collectives by group, and by their number in it; messages are not among them."""
        ranks = {group.name: group.ranks for group in self.rank.groups}
        found: dict[GroupKey, dict[int, Call]] = {}
        for call in self.rank.calls or ():
            if not call.is_message:
                key = GroupKey(call.group, ranks.get(call.group, ()))
                found.setdefault(key, {})[call.number] = call
        return found

    @cached_property
    def compilations(self) -> tuple[tuple[str, Interval], ...]:
        """When it compiled, by the id of the compilation."""
        begin = self.rank.started
        return tuple(
            (one.compile_id, (begin + one.start, begin + one.start + one.seconds))
            for one in self.recording.timings
            if one.parent < 0 and one.compile_id
        )

    @cached_property
    def computing(self) -> list[Interval]:
        """When it computed: what operators do while the compiler traces them is none of it."""
        timeline = self.rank.timeline
        if timeline is None:
            return []
        return without(timeline.computing, union(when for _, when in self.compilations))

    def bare(self, start: float, end: float) -> float:
        """The seconds of a time in which it computed nothing."""
        first = bisect_left(self.computing, start, key=lambda one: one[1])
        last = bisect_left(self.computing, end, key=lambda one: one[0])
        return length(without([(start, end)], self.computing[first:last]))

    @cached_property
    def waiting(self) -> Call | None:
        """The call that it waited in when it was last heard of: the first that is not done.

        One that failed because another rank's connection was closed counts as done: it is the last.
        """
        if self.rank.ending.kind == "finished":
            return None
        if self.blames_others and self.rank.calls:
            return self.rank.calls[-1]
        return next((call for call in self.rank.calls or () if not call.is_done), None)

    @property
    def blames_others(self) -> bool:
        """Whether what it raised is what a rank raises whose connection another one closed.

        What `ProcessGroupGloo` itself says is of the rank's own arguments.
        """
        ending = self.rank.ending
        if self.is_planned or ending.kind != "raised":
            return False
        return bool(_OTHER_RANKS_FAULT.search(ending.message))

    @property
    def raised_at(self) -> Line | None:
        """The user's line on which the exception was raised that ended it."""
        failure = self.recording.failure
        if failure is None or failure.span is None:
            return None
        return self.places.line_of(failure.span)

    @cached_property
    def nodes(self) -> Nodes:
        """The collectives in its graphs."""
        return Nodes(self.recording, self.places, self.rank.calls or ())

    @cached_property
    def placements(self) -> Placements:
        """The changes of placement of its DTensors."""
        return Placements(self.recording.redistributions)

    @cached_property
    def buckets(self) -> Buckets:
        """The buckets of gradients that its modules under DDP reduce."""
        return Buckets(self.recording, self.places, self.rank)

    def line_of(self, call: Call) -> Line | None:
        """The user's line that called: that of the node, where generated code did."""
        return (call.is_compiled and self.nodes.line_of(call)) or self.places.own_line(call.stack)

    def line_behind(self, call: Call) -> Line | None:
        """The user's line that it is for: of a bucket, where a graph has it, that of the forward.

        Where no line led to the reducer of DDP, it is the one on which the module was wrapped.
        """
        return (
            self.buckets.forward_line(call) or self.line_of(call) or self.buckets.wrapped_at(call)
        )

    def where(self, line: Line | None) -> str:
        """'train.py, line 3 (`y = all_reduce(x)`)', empty where no line is known."""
        if line is None:
            return ""
        text = self.places.text(line).strip()
        quoted = f" (`{text[:_LONGEST]}`)" if text and "`" not in text else ""
        return f"{self.places.where_named(line)}{quoted}"

    @property
    def position(self) -> Line | None:
        """The user's line that it was last seen on."""
        return None if self.rank.span is None else self.places.line_of(self.rank.span)


def condition_of(known: Known, line: Line | None) -> str:
    """'under `if rank == 0` (line 12)', the innermost condition that a line is under, if it is.

    Without one it is the innermost loop: 'in `for batch in batches` (line 12)'.
    """
    if line is None:
        return ""
    source = known.recording.sources[line[0]]
    whole = "\n".join(text for _, text in source.lines())
    try:
        tree = ast.parse(whole) if source.kind != "library" else None
    except (SyntaxError, ValueError, RecursionError):
        return ""
    around = [node for node in ast.walk(tree) if _is_around(node, line[1])] if tree else []
    around.sort(key=lambda node: node.lineno)
    branches = [node for node in around if isinstance(node, ast.If | ast.While)]
    if branches:
        found = branches[-1]
        word = "if" if isinstance(found, ast.If) else "while"
        part = "under" if _has(found.body, line[1]) else "in the `else` of"
        return f"{part} `{word} {ast.unparse(found.test)[:_LONGEST]}` (line {found.lineno})"
    loops = [node for node in around if isinstance(node, ast.For | ast.AsyncFor)]
    if not loops or not _has(loops[-1].body, line[1]):
        return ""
    what, of = (ast.unparse(part)[:_LONGEST] for part in (loops[-1].target, loops[-1].iter))
    return f"in `for {what} in {of}` (line {loops[-1].lineno})"


def _is_around(node: ast.AST, line: int) -> TypeGuard[_Block]:
    return isinstance(node, _Block) and _has((*node.body, *node.orelse), line)


def _has(body: Sequence[ast.stmt], line: int) -> bool:
    return any(part.lineno <= line <= (part.end_lineno or part.lineno) for part in body)


def names_of(ranks: Sequence[Known]) -> str:
    """'rank 1', 'ranks 1 and 2'."""
    if len(ranks) < 2:
        return "".join(one.label for one in ranks)
    return f"ranks {listed([str(one.rank.number) for one in ranks], 5)}"

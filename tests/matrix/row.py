"""A row of the matrix: a program of at most five lines, and what is to be seen of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

import dynamo_lab as lab
from dynamo_lab.view import view

State = Literal["shown", "partly", "not shown", "absent", "not run"]
"""An "absent" thing is not in that release; one that is "not run" needs what was not there."""


class Found(Struct, frozen=True, array_like=True):
    """What a release shows of a row, in words."""

    state: State
    text: str


class Row(Struct, frozen=True, kw_only=True):
    """A corner of the compiler.

    `names` are the public names that the row is about, as they are written after `torch.`; a
    release that lacks one of `needs` lacks the row. `packages` and `cuda` are what else it needs.
    `seen` asks a recording of the program. `source` is where PyTorch describes it.
    """

    title: str
    view: str
    program: str
    seen: Callable[[lab.Recording], Found]
    source: str
    names: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    cuda: bool = False


OTHERWISE = "otherwise than elsewhere"
"""How the text of a row begins whose facts do not hold."""


def shown(text: str, *facts: object) -> Found:
    """Shown, if these facts hold of the recording."""
    return _held("shown", text, facts)


def partly(text: str, *facts: object) -> Found:
    """Shown in part: `text` also says what is not."""
    return _held("partly", text, facts)


def unseen(text: str, *facts: object) -> Found:
    """Not shown; the facts say that the program did run, and that nothing tells of it."""
    return _held("not shown", text, facts)


def _held(state: State, text: str, facts: tuple[object, ...]) -> Found:
    failed = [str(at) for at, fact in enumerate(facts, 1) if not fact]
    if failed:
        return Found("not shown", f"{OTHERWISE}: fact {', '.join(failed)}")
    return Found(state, text)


def calls(recording: lab.Recording, stage: str = "dynamo") -> list[str]:
    """What the graphs of a stage call, bodies of higher-order operators included."""
    graphs = [graph for graph in recording.graphs if graph.stage == stage]
    return [node.target for graph in graphs for node in graph.nodes if node.op.startswith("call")]


def bodies(recording: lab.Recording) -> int:
    """How many captured graphs are bodies of higher-order operators."""
    return sum(g.stage == "dynamo" and g.parent is not None for g in recording.graphs)


def sentence(recording: lab.Recording) -> str:
    """The sentence on top of every view."""
    return view.build(recording).summary.sentence


def notes(recording: lab.Recording) -> str:
    """What is remarked beside the views."""
    return "\n".join(note.message for note in recording.notes)


def kernel_text(recording: lab.Recording) -> str:
    """The code of all kernels."""
    return "\n".join(kernel.code for kernel in recording.kernels)


def breaks(recording: lab.Recording) -> list[str]:
    """The kind of each break, in PyTorch's words."""
    return [one.gb_type for one in recording.breaks]

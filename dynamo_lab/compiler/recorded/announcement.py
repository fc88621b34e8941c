"""A program as a recording knows it: its wrapper, its kernels, its calls of ATen, its stages.

In comes a program; out comes what `capture` takes for facts of it.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING

from dynamo_lab.capture.kernels.announced import Announced, AnnouncedKernel, Place, Stages
from dynamo_lab.compiler.recorded.lowering import buffers, lowering
from dynamo_lab.compiler.recorded.memory import memory
from dynamo_lab.compiler.recorded.schedule import schedule
from dynamo_lab.compiler.recorded.stages import lab_graph
from dynamo_lab.compiler.work import Extern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.compiler.program import Program


def announcement(program: Program) -> Announced:
    """What was made of the program's graph, with the nodes that each part computes."""
    calls = calls_by_operator(program)
    return Announced(
        program.module.graph,
        program.wrapper.text,
        (*_kernels(program), *_calls(program, calls)),
        lambda place: stages(program, place, list(calls)),
    )


def calls_by_operator(program: Program) -> dict[str, list[Extern]]:
    """The calls of ATen, by the operator, each in the order of the wrapper."""
    found: defaultdict[str, list[Extern]] = defaultdict(list)
    for work in program.schedule.units:
        if isinstance(work, Extern) and work.reason:
            found[str(work.target)].append(work)
    return found


def stages(program: Program, place: Place, called: Sequence[str]) -> Stages:
    """The program's lowering, schedule and memory. `called` are the operators of ATen, in order."""
    kernels = dict(zip(program.wrapper.kernels, count(place.kernels), strict=False))
    first = place.kernels + len(kernels)
    for unit in program.schedule.units:
        if isinstance(unit, Extern) and unit.reason:
            kernels[id(unit)] = first + called.index(str(unit.target))
    return Stages(
        lowering(program, place),
        buffers(program, place),
        schedule(program, place, kernels),
        memory(program, place, kernels),
        lab_graph(program, place),
    )


def _kernels(program: Program) -> list[AnnouncedKernel]:
    texts = zip(program.kernels, program.sources, program.origins, strict=True)
    return [
        AnnouncedKernel(
            kernel.name,
            program.target.language,
            kernel.origins,
            source,
            tuple(name for node in kernel.nodes for name in sorted(node.writes)),
            tuple(origins.items()),
            _line_of(program, f"{kernel.name}("),
        )
        for kernel, source, origins in texts
    ]


def _calls(program: Program, found: dict[str, list[Extern]]) -> list[AnnouncedKernel]:
    """One for each operator, however often the graph calls it."""
    return [
        AnnouncedKernel(
            target,
            "extern",
            tuple(call.node for call in calls),
            buffers=tuple(name for call in calls for name in sorted(call.writes)),
            line=_line_of(program, f"{target}("),
            calls=len(calls),
        )
        for target, calls in found.items()
    ]


def _line_of(program: Program, text: str) -> int | None:
    lines = enumerate(program.wrapper.text.splitlines(), 1)
    return next((at for at, line in lines if text in line), None)

"""An edit of a kernel of the backend `lab`: its program made again with the reader's text.

In come the kernel and the text; out comes an `Edit`. The recorded program is compiled once more as
living programs, and stays as it was: what is edited in the Compiler tab counts there alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from dynamo_lab.errors import EditError, LoweringError, WrongProgramError
from dynamo_lab.measure.rounds import Watch
from dynamo_lab.model.kernels import Diagnostic, EditTiming

if TYPE_CHECKING:
    from dynamo_lab.compiler.live.program import LiveProgram
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.kernels import Edit, Kernel
    from dynamo_lab.model.recording import Recording

_TIMING_SECONDS = 2.0


def edit(
    recording: Recording,
    session: Session,
    fact: Kernel,
    start: Edit,
    seconds: float,
    watch: Watch | None,
) -> Edit:
    """Build, check and time it, all in the program of the kernel's graph.

    Raises:
        EditError: no program is available, it was stopped, or its kernels are of another language.
    """
    from dynamo_lab.compiler.live.apart import try_apart
    from dynamo_lab.measure.machine import Watched, describe_machine

    watch = watch or Watch()
    before, name = _program(recording, session, fact)
    if diagnostics := _refused(before, name, start.after):
        return structs.replace(start, verdict="not built", diagnostics=diagnostics)
    texts = {name: start.after}
    try:
        try_apart(lambda: before.relower(sources=texts), seconds, lambda: watch.stopped)
        after = before.relower(sources=texts)
    except WrongProgramError as error:
        return structs.replace(start, verdict="wrong", reason=_reason(error), calls=1)
    except LoweringError as error:
        if watch.stopped:
            raise EditError(str(error)) from None
        return structs.replace(start, verdict="failed", reason=_reason(error))
    cores = Watched()
    turns = after.time_beside(before, _TIMING_SECONDS, watch)
    timing = EditTiming(
        what="program",
        cache="warm",
        original=turns.before,
        edited=turns.after,
        is_busy=cores.was_busy(),
    )
    return structs.replace(
        start,
        calls=1,
        comparisons=after.check(),
        timings=(timing,) if turns.before else (),
        machine=describe_machine(str(before.graph.device)),
    )


def _program(recording: Recording, session: Session, fact: Kernel) -> tuple[LiveProgram, str]:
    """The program that calls the kernel, as it was recorded, and the kernel's name in it."""
    places = {
        kernel.kernel: (graph.graph, kernel.name)
        for graph in recording.lab_graphs
        for kernel in graph.kernels
    }
    graph, name = places[fact.id]
    try:
        program = session.living(recording).program(graph)
    except LoweringError as error:
        raise EditError(str(error)) from None
    while program.before is not None:
        program = program.before
    if program.target.language != fact.language:
        raise EditError(
            f"{fact.name} was printed in {fact.language} to be read; what runs here is "
            f"{program.target.language}: record the program without a target, and edit that."
        )
    return program, name


def _refused(program: LiveProgram, name: str, text: str) -> tuple[Diagnostic, ...]:
    """What the compiler has against a text; nothing where it builds."""
    from dynamo_lab.capture.kernels.diagnostics import of_cpp
    from dynamo_lab.compiler.build import BuildError

    kernel = next(one for one in program.kernels if one.name == name)
    try:
        program.target.functions([kernel], [text])
    except BuildError as error:
        return of_cpp(str(error), "kernel.c") or (_told(error),)
    except (OSError, AttributeError) as error:  # a function that is nowhere, or another name
        return (_told(error),)
    return ()


def _told(error: Exception) -> Diagnostic:
    return Diagnostic(severity="error", message=str(error))


def _reason(error: Exception) -> str:
    """Its first sentence, to stand within another."""
    first = str(error).partition("\n")[0].split(". ")[0].rstrip(".")
    return first.removeprefix("Not eager's numbers: ")

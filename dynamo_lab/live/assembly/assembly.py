"""A recording's kernels as assembly: stored, or assembled now in the recording process."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec import structs

from dynamo_lab.errors import AssemblyError
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.lowering import LAB
from dynamo_lab.record.lower import find_target, own_target
from dynamo_lab.view.compare.alignment import compiler_of

if TYPE_CHECKING:
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.assembly import Assembly
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.model.targets import Target

    R = TypeVar("R", bound=Recording)


def ask(recording: Recording, session: Session, kernel: int, target: str | None = None) -> Assembly:
    """A kernel assembled: see `dynamo_lab.Recording.assembly`."""
    count = len(recording.kernels)
    if not 0 <= kernel < count:
        known = f"ids are 0 to {count - 1}" if count else "the recording has none"
        raise AssemblyError(f"There is no kernel {kernel}: {known}.")
    chosen = _target(recording, kernel, target)
    for stored in recording.assemblies:
        if (stored.kernel, stored.target) == (kernel, chosen):
            return stored
    if not session.can_assemble:
        raise AssemblyError(
            "This recording has no such assembly, and code from a file is not compiled here: "
            "record it with assembly, as in dynamo_lab.lower(fn, *args, target=..., assembly=True)."
        )
    return _assembled(recording, kernel, chosen)


def _assembled(recording: Recording, kernel: int, target: str) -> Assembly:
    if compiler_of(recording) == LAB:
        from dynamo_lab.compiler.recorded.assembly import assemble
    else:
        from dynamo_lab.capture.assembly.assembly import assemble

    return assemble(recording.kernels[kernel], find_target(target))


def target_named(recording: Recording, asked: str | None) -> Target:
    """The target of a name: by default the one that the kernels were written for."""
    return find_target(asked or recording.target or own_target(recording))


def _target(recording: Recording, kernel: int, asked: str | None) -> str:
    """The name of the target for a kernel."""
    written = recording.target or own_target(recording)
    target = target_named(recording, asked).name
    if recording.kernels[kernel].language == "cpp" and target != written:
        raise AssemblyError(
            f"This C++ kernel was written for the vectors of {written}: lower the program for "
            f'{target} first, with relower(target="{target}").'
        )
    return target


def with_assemblies(recording: R) -> R:
    """A recording of this process with each kernel assembled; a note says which could not be."""
    found: list[Assembly] = []
    notes = list(recording.notes)
    for kernel in recording.kernels:
        if kernel.language in ("cpp", "c", "triton", "metal") and kernel.code:
            try:
                found.append(_assembled(recording, kernel.id, _target(recording, kernel.id, None)))
            except AssemblyError as error:
                note = Note(level="info", about="assembly", message=f"{kernel.name}: {error}")
                notes.append(note)
    return structs.replace(recording, assemblies=tuple(found), notes=tuple(notes))

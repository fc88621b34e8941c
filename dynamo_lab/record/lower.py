"""Lowering a program to code for a device, present or not, without building or running it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast, overload

import msgspec

from dynamo_lab.api.side_by_side import SideBySide
from dynamo_lab.errors import LoweringError, OptionError
from dynamo_lab.live.assembly import with_assemblies
from dynamo_lab.model import targets
from dynamo_lab.model.core.notes import Note
from dynamo_lab.record import switches
from dynamo_lab.record.explore import (
    Detail,
    name_of,
    new_recorder,
    recording_into,
    refuse_uncallable,
)
from dynamo_lab.record.program import Choice, FunctionProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from dynamo_lab.api.recording import Recording
    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.model.recording import Recording as Facts
    from dynamo_lab.model.targets import Target
    from dynamo_lab.record.program import Program


@overload
def lower(
    fn: Callable[..., Any],
    *args: Any,
    target: str = "cpu",
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    options: Mapping[str, Any] | None = None,
    grad: bool | None = None,
    detail: Detail = "normal",
    assembly: bool = False,
    **kwargs: Any,
) -> Recording: ...


@overload
def lower(
    fn: Callable[..., Any],
    *args: Any,
    target: Sequence[str],
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    options: Mapping[str, Any] | None = None,
    grad: bool | None = None,
    detail: Detail = "normal",
    assembly: bool = False,
    **kwargs: Any,
) -> SideBySide: ...


def lower(
    fn: Callable[..., Any],
    *args: Any,
    target: str | Sequence[str] = "cpu",
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    options: Mapping[str, Any] | None = None,
    grad: bool | None = None,
    detail: Detail = "normal",
    assembly: bool = False,
    **kwargs: Any,
) -> Recording | SideBySide:
    """Every stage of `torch.compile` down to the code for a target, which this machine may lack.

    No code is built, and none runs on the target. To get past graph breaks, the captured graphs
    run eagerly, where the arguments are; so use small ones. Where autotuning would time
    candidates, one is chosen without, and a note says so.

    Args:
        fn: A function or an nn.Module; it is called as `fn(*args, **kwargs)`.
        *args: Arguments of `fn`.
        target: "cpu", "cpu:avx512", "cpu:avx2", "cpu:neon", "cpu:scalar", "cuda:sm_80" (A100),
            "cuda:sm_90" (H100), "cuda:sm_100" (B200), "rocm:gfx942" (MI300X), "mps" and more:
            `dynamo_lab.model.targets.known()`. Several make a SideBySide.
        mode: As for `torch.compile`.
        dynamic: As for `torch.compile`.
        fullgraph: As for `torch.compile`.
        options: Settings of `torch._inductor.config`, such as {"max_fusion_size": 1}.
        grad: True also lowers the backward, False runs under `torch.no_grad()`.
        detail: "steps" also keeps each instruction that Dynamo interprets.
        assembly: True also assembles each kernel, and keeps that in the recording. It takes a
            second or two a kernel; `Recording.assembly` does it later for one.
        **kwargs: Keyword arguments of `fn`.

    Raises:
        OptionError: there is no such target, mode or setting.
    """
    refuse_uncallable(fn)
    choice = Choice(
        mode=mode, dynamic=dynamic, fullgraph=fullgraph, grad=grad, settings=dict(options or {})
    )

    def lowered_for(name: str) -> Recording:
        chosen = msgspec.structs.replace(choice, target=find_target(name).name)

        def again(fn: Any, args: Any, kwargs: Any, choice: Choice) -> tuple[Recording, Any]:
            return lowered(fn, args, kwargs, choice, new_recorder(name_of(fn), detail))

        program = FunctionProgram(fn, args, kwargs, again, chosen)
        recording, _ = again(fn, args, kwargs, chosen)
        recording.can_run_again(program)
        return with_assemblies(recording) if assembly else recording

    if isinstance(target, str):
        return lowered_for(target)
    names = dict.fromkeys(find_target(name).name for name in _names(target))
    return SideBySide({name: lowered_for(name) for name in names})


def relower(
    recording: Recording,
    target: str | None = None,
    options: Mapping[str, Any] | None = None,
    **chosen: Any,
) -> Recording:
    """The recorded program lowered again: see `Recording.relower`."""
    arguments, settings = switches.settings(chosen)
    program = program_of(recording)
    before = program.choice
    choice = msgspec.structs.replace(
        before,
        target=find_target(target or target_of(recording, before)).name,
        grad=True if before.grad is None and _has_backward(recording) else before.grad,
        settings={**before.settings, **settings, **(options or {})},
        **arguments,
    )
    fn, args, kwargs = program.call()
    made, _ = lowered(fn, args, kwargs, choice, new_recorder(recording.title, "normal"))
    made.can_run_again(program.chosen(choice))
    return made


def program_of(recording: Recording | None) -> Program:
    """The program that was recorded.

    Raises:
        LoweringError: it is not at hand.
    """
    program = recording.program() if recording else None
    if program is None:
        raise LoweringError(
            "There is no program to lower again: this recording was loaded from a file, made with "
            "record() or %%record, or its tensors take more than 256 MB. "
            "Use dynamo_lab.lower(fn, *args, target=...) for it."
        )
    return program


def target_of(recording: Facts, choice: Choice) -> str:
    """The target that a program was compiled for: the chosen one, else the device it ran on."""
    return choice.target or own_target(recording)


def find_target(name: str) -> Target:
    """The target of this name.

    Raises:
        OptionError: there is none.
    """
    found = targets.parse(name)
    if found is None:
        raise OptionError(f"There is no target {name!r}: say one of {', '.join(targets.known())}.")
    return found


def own_target(recording: Facts) -> str:
    """The target that a recorded program ran on."""
    devices = {value.device for graph in recording.graphs for value in graph.nodes.values}
    kinds = {device.partition(":")[0] for device in devices}
    if "cuda" in kinds:
        from dynamo_lab.capture.targets.targets import gpu_here

        return gpu_here()
    return "mps" if "mps" in kinds else "cpu"


def _has_backward(recording: Recording) -> bool:
    return any(graph.is_backward and graph.stage == "post_grad" for graph in recording.graphs)


def _names(given: Sequence[Any]) -> list[str]:
    if not isinstance(cast("object", given), list | tuple) or not given:
        raise OptionError(f'target={given!r} names no target: say "cpu", or a list of names.')
    return [str(name) for name in given]


def lowered(
    fn: Any, args: Any, kwargs: Any, choice: Choice, recorder: Recorder[Recording]
) -> tuple[Recording, Any]:
    """A call lowered as chosen: the recording, and what `fn` returned."""
    from dynamo_lab.capture.targets.lowered import lower_once

    settings = {name: getattr(choice, name) for name in ("mode", "dynamic", "fullgraph", "grad")}
    result = None
    try:
        with recording_into(recorder, choice):
            result = lower_once(fn, args, kwargs, **settings)
    except OptionError:
        raise
    except Exception:  # the program's own, which the recording holds
        pass
    return recorder.recording, result


@contextmanager
def lowering_for(recorder: Recorder[Recording], choice: Choice) -> Generator[None, None, None]:
    """In the block, what compiles is lowered as chosen, and the recorder knows about it."""
    from dynamo_lab.capture.kernels.interpreted import describe_written
    from dynamo_lab.capture.targets.lowered import lowering

    target = find_target(choice.target)
    recorder.target = target.name
    recorder.options.update(_described(choice))

    def chosen(operator: str, candidates: int, name: str, node: str) -> None:
        message = (
            f"{operator}: {candidates} candidates, of which autotuning would time each. "
            f"Nothing runs here, so {name} was taken."
        )
        graph, index = _place(recorder, node)
        recorder.notes.append(
            Note(level="info", about="autotuning", message=message, graph=graph, node=index)
        )

    def wrote(lowering: Any, code: str) -> None:
        if target.device == "cuda" and recorder.wrappers:  # Triton's
            recorder.written[recorder.wrappers[-1].id] = describe_written(lowering, code)

    with lowering(target, choice.settings, chosen, wrote):
        yield


def _place(recorder: Recorder[Recording], node: str) -> tuple[int | None, int | None]:
    """The graph that is lowered, the last that came out of the passes, and the node in it."""
    for graph in reversed(recorder.graphs):
        if graph.stage == "post_grad":
            names = graph.nodes.name
            return (graph.id, names.index(node)) if node in names else (None, None)
    return None, None


def _described(choice: Choice) -> dict[str, str]:
    fields = {name: getattr(choice, name) for name in ("target", "mode", "dynamic", "grad")}
    fields["options"] = choice.settings or None
    return {name: str(value) for name, value in fields.items() if value is not None}

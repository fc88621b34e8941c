"""A program lowered to code for a device, present or not, without building or running it."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import structs

from dynamo_lab.errors import LoweringError, OptionError
from dynamo_lab.model import targets
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.lowering import LAB
from dynamo_lab.record import switches
from dynamo_lab.record.on_target import notes_on, padding_note, place_of
from dynamo_lab.record.program import FunctionProgram
from dynamo_lab.record.reach import reachable
from dynamo_lab.record.recorders import Detail, name_of, new_recorder
from dynamo_lab.record.run import Choice, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.core.undo import Undo
    from dynamo_lab.capture.session import Watch
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.model.targets import Target
    from dynamo_lab.record.run import Program


def lower(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    choice: Choice,
    detail: Detail = "normal",
) -> Run:
    """A run of `fn` lowered for the target of the choice, with its program."""

    def again(fn: Any, args: Any, kwargs: Any, choice: Choice) -> tuple[Run, Any]:
        return lowered(fn, args, kwargs, choice, new_recorder(name_of(fn), detail))

    program = FunctionProgram(fn, args, kwargs, again, choice)
    run, _ = again(fn, args, kwargs, choice)
    return run.with_program(program)


def relower(
    recording: Recording,
    program: Program | None,
    target: str | None = None,
    options: Mapping[str, Any] | None = None,
    **chosen: Any,
) -> Run:
    """The recorded program lowered again: see `dynamo_lab.Recording.relower`."""
    arguments, settings = switches.settings(chosen)
    program = at_hand(program)
    before = program.choice
    if before.backend == LAB and (settings or options):
        raise LoweringError(
            "The backend lab compiled this, and these are settings of Inductor. Its own choices "
            "change with lab.compiler.programs(fn, *args)[0].relower(choices=...)."
        )
    choice = structs.replace(
        before,
        target=find_target(target or target_of(recording, before)).name,
        grad=True if before.grad is None and _has_backward(recording) else before.grad,
        settings={**before.settings, **settings, **(options or {})},
        **arguments,
    )
    fn, args, kwargs = program.call()
    run, _ = lowered(fn, args, kwargs, choice, new_recorder(recording.title))
    return run.with_program(program.chosen(choice))


def at_hand(program: Program | None) -> Program:
    """The program that was recorded.

    Raises:
        LoweringError: it is not available.
    """
    if program is None:
        raise LoweringError(
            "There is no program to lower again: record it with explore() or %%compile, not with "
            "record() or %%record, or use dynamo_lab.lower(fn, *args, target=...). With a file "
            "that is loaded, or where tensors take more than 256 MB, there is none either."
        )
    return program


def target_of(recording: Recording, choice: Choice) -> str:
    """The target that a program was compiled for: the chosen one, else the device it ran on."""
    return choice.target or own_target(recording)


def find_target(name: str) -> Target:
    """The target of this name.

    Raises:
        OptionError: there is none.
    """
    found = targets.parse(name)
    if found is None:
        raise OptionError(f"There is no target {name!r}: use one of {', '.join(targets.known())}.")
    return found


def own_target(recording: Recording) -> str:
    """The target that a recorded program ran on."""
    devices = {value.device for graph in recording.graphs for value in graph.nodes.values}
    kinds = {device.partition(":")[0] for device in devices}
    if "cuda" in kinds:
        from dynamo_lab.capture.targets.targets import gpu_here

        return gpu_here()
    return "mps" if "mps" in kinds else "cpu"


def _has_backward(recording: Recording) -> bool:
    return any(graph.is_backward and graph.stage == "post_grad" for graph in recording.graphs)


def lowered(
    fn: Any, args: Any, kwargs: Any, choice: Choice, recorder: Recorder, runs: bool = True
) -> tuple[Run, Any]:
    """A call lowered as chosen: the run, and what `fn` returned.

    Where it does not run, its first frame is lowered, up to a graph break, and it returns None.
    """
    from dynamo_lab.capture.targets.lowered import lower_once

    settings = {name: getattr(choice, name) for name in ("mode", "dynamic", "fullgraph", "grad")}
    if choice.backend == LAB:
        lower_once = _by_lab(choice)
    if not runs:
        lower_once = _unrun(lower_once)
    result = None
    recording = recording_into(recorder, choice, roots=(fn, args, kwargs))
    try:
        with closing(recording), recording:
            result = lower_once(fn, args, kwargs, **settings)
    except OptionError:
        raise
    except Exception:  # the program's own, which is in the recording
        pass
    return Run.of(recorder, recorder.recording), result


def _by_lab(choice: Choice) -> Callable[..., Any]:
    """A call compiled by the backend lab, for the target that was chosen."""
    from dynamo_lab.capture.core.running import run

    def lower_once(fn: Any, args: Any, kwargs: Any, **settings: Any) -> Any:
        settings |= {"mode": None, "options": lab_options(choice)}  # it has no modes
        return run(fn, [(args, kwargs)], backend=LAB, **settings)

    return lower_once


def _unrun(lower_once: Callable[..., Any]) -> Callable[..., None]:
    """The same, and nothing of the program runs."""
    from dynamo_lab.capture.frames.unrun import compile_unrun

    def lower_unrun(*args: Any, **settings: Any) -> None:
        compile_unrun(partial(lower_once, *args, **settings))

    return lower_unrun


_LANGUAGES = {"cpu": "c", "cuda": "triton", "rocm": "triton", "mps": "metal"}


def lab_options(choice: Choice) -> dict[str, Any] | None:
    """What `torch.compile` tells the backend lab, so that it prints for a target and runs ATen."""
    if choice.backend != LAB or not choice.target:
        return None
    return {"target": _LANGUAGES[find_target(choice.target).kind]}


R = TypeVar("R", bound="Recorder")


def recording_into(
    recorder: R, choice: Choice, fresh: bool = True, roots: Iterable[Any] = ()
) -> Watch[R]:
    """Record the block as `dynamo_lab.record` does, lowering it where a target was chosen.

    From `roots` the program's tensors are reached, as far as they are known beforehand.
    `closing` around it ends the recording also if an interrupt comes as the block ends.
    """
    from dynamo_lab.capture.session import watch

    def first(undo: Undo) -> None:
        if choice.target:
            _lower_for(undo, recorder, choice, roots)

    return watch(recorder, fresh=fresh, first=first)


def _lower_for(undo: Undo, recorder: Recorder, choice: Choice, roots: Iterable[Any]) -> None:
    """From now on, what compiles is lowered as chosen, and the recorder knows about it."""
    import torch

    from dynamo_lab.capture.kernels.interpreted import describe_written
    from dynamo_lab.capture.targets.lowered import lower_for

    target = find_target(choice.target)
    recorder.target = target.name
    recorder.options.update(_described(choice))
    if choice.backend == LAB:  # which is told by `torch.compile` itself
        recorder.options["backend"] = LAB
        return

    undecided: list[tuple[str, str, int]] = []

    def chosen(operator: str, candidates: int, name: str, node: str) -> None:
        message = (
            f"{operator}: autotuning would time each of {candidates} candidates. "
            f"Nothing runs here, so {name} was chosen."
        )
        graph, index = place_of(recorder.graphs, node)
        recorder.notes.append(
            Note(level="info", about="autotuning", message=message, graph=graph, node=index)
        )

    def padded(product: str, node: str) -> None:
        message = (
            f"{product}: the device would time it as it is and padded, and keep the faster. "
            "Nothing runs here, so it is not padded; options={'force_shape_pad': True} pads all."
        )
        undecided.append((message, node, len(recorder.graphs)))

    def wrote(lowering: Any, code: str) -> None:
        if target.device == "cuda" and recorder.wrappers:  # Triton's
            recorder.written[recorder.wrappers[-1].id] = describe_written(lowering, code)

    def asked(ways: tuple[bool, bool], fixed: frozenset[int]) -> None:
        recorder.cuda_graphs_of_target = ways, fixed

    def noted() -> None:  # a product is decided on before the graph that it is lowered in is there
        while undecided:
            recorder.notes.append(padding_note(recorder, *undecided.pop(0)))
        recorder.notes += notes_on(target, recorder.graphs, recorder.kernels)

    undo.add(noted)

    def reached() -> Iterator[torch.Tensor]:
        return (thing for thing in reachable(roots) if isinstance(thing, torch.Tensor))

    lower_for(undo, target, choice.settings, chosen, padded, wrote, asked, reached)


def _described(choice: Choice) -> dict[str, str]:
    fields = {name: getattr(choice, name) for name in ("target", "mode", "dynamic", "grad")}
    fields["options"] = choice.settings or None
    return {name: str(value) for name, value in fields.items() if value is not None}

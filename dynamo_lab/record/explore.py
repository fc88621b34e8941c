"""A function compiled, called and recorded, or whatever compiles in a block."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.errors import OptionError
from dynamo_lab.record.lower import lowered, recording_into
from dynamo_lab.record.program import FunctionProgram
from dynamo_lab.record.recorders import MAX_STEPS, Detail, name_of, new_recorder
from dynamo_lab.record.run import Choice, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.core.running import Call
    from dynamo_lab.capture.session import Watch


def explore(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    choice: Choice,
    **asked: Any,
) -> Run:
    """A run of `fn` under `torch.compile`, with its program; `asked` is as for `runnable`."""
    if choice.mode is not None:
        _refuse_unknown(choice.mode)
    program = runnable(fn, args, kwargs, choice, **asked)
    run, _ = program.explored(fn, args, kwargs, program.choice)
    return run.with_program(program)


def _refuse_unknown(mode: str) -> None:
    """Refuse what is no mode: it may be meant as an argument of the function."""
    from dynamo_lab.capture.core.compat import modes  # imports torch

    if mode not in (known := modes()):
        raise OptionError(
            f"mode={mode!r} is no mode of torch.compile ({', '.join(known)}). An argument `mode` "
            f"of fn is passed by a function of your own: lambda x: fn(x, mode={mode!r})."
        )


def runnable(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    choice: Choice,
    backend: str | Callable[..., Any] = "inductor",
    detail: Detail = "normal",
    max_steps: int = MAX_STEPS,
    logs: str = "",
) -> FunctionProgram:
    """What is needed to run it again, taken before a run changes its arguments."""
    choice = structs.replace(choice, backend=backend)

    def explored(fn: Any, args: Any, kwargs: Any, choice: Choice) -> tuple[Run, Any]:
        recorder = new_recorder(name_of(fn), detail, max_steps, logs)
        if choice.target:  # lowered again since then
            return lowered(fn, args, kwargs, choice, recorder)
        return explored_calls(fn, [(args, kwargs)], _options(choice), recorder)

    return FunctionProgram(fn, args, kwargs, explored, choice)


def _options(choice: Choice) -> dict[str, Any]:
    """torch.compile's options, and `grad`."""
    settings = {"mode": choice.mode, "dynamic": choice.dynamic, "options": choice.settings or None}
    return {
        "backend": choice.backend,
        "fullgraph": choice.fullgraph,
        "grad": choice.grad,
        **settings,
    }


def explored_calls(
    fn: Any, calls: Sequence[Call], chosen: dict[str, Any], recorder: Recorder
) -> tuple[Run, Any]:
    """A run of `fn` compiled and called, and what the last call returned.

    `chosen` are torch.compile's options, and `grad` as for `explore`.
    """
    from dynamo_lab.capture.core.running import run
    from dynamo_lab.capture.session import watch  # imports torch, which reading a file need not

    recorder.options.update({k: name_of(v) for k, v in chosen.items() if v is not None})
    result = None
    watching = watch(recorder)
    with closing(watching), watching:
        try:
            result = run(fn, calls, **chosen)
        except Exception as error:
            recorder.fail(error)
    return Run.of(recorder, recorder.recording), result


def record(title: str = "recording", *, fresh: bool = True, **asked: Any) -> Watch[Recorder]:
    """Record the block into a recorder of facts: options as for `dynamo_lab.record`."""
    choice = Choice(target=asked.pop("target", None) or "")
    return recording_into(new_recorder(title, **asked), choice, fresh)

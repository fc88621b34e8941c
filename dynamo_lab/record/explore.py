"""The ways in: compile a function and record it, or record whatever compiles in a block."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import OptionError
from dynamo_lab.live import assembly, budgets, kernel_checks
from dynamo_lab.live import guards as would_pass
from dynamo_lab.record.cells import cell_label

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.core.running import Call
    from dynamo_lab.record.program import Choice, FunctionProgram

Detail = Literal["normal", "steps"]

MAX_STEPS = 100_000
"""The most steps kept by default: a larger model is better looked at in parts."""


def explore(
    fn: Callable[..., Any],
    *args: Any,
    backend: str | Callable[..., Any] = "inductor",
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    options: dict[str, Any] | None = None,
    grad: bool | None = None,
    detail: Detail = "normal",
    max_steps: int = MAX_STEPS,
    **kwargs: Any,
) -> Recording:
    """Compile `fn` with `torch.compile`, run it once on these arguments, and return the recording.

    A function or an nn.Module will do. What `fn` raises does not stop the recording: it is its
    `failure`, and the views show how far the compiler came.

    Args:
        fn: What to compile; it is called as `fn(*args, **kwargs)`.
        *args: Arguments of `fn`.
        backend: As for `torch.compile`: "inductor", "eager", "aot_eager" or a function.
        mode: As for `torch.compile`, such as "max-autotune".
        dynamic: As for `torch.compile`: True for symbolic shapes from the start.
        fullgraph: As for `torch.compile`: True makes a break an error.
        options: Inductor's options, as for `torch.compile`.
        grad: True also runs a backward pass from the sum of the tensors returned, False runs
            under `torch.no_grad()`. By default only the forward runs, with gradients on.
        detail: "steps" also keeps each instruction that Dynamo interprets, to step through.
        max_steps: The most steps to keep; the film then says where it is cut.
        **kwargs: Keyword arguments of `fn`.

    Raises:
        OptionError: `fn` cannot be called, or an option has a value that is not offered.
    """
    refuse_uncallable(fn)
    from dynamo_lab.record.program import Choice

    choice = Choice(
        mode=mode, dynamic=dynamic, fullgraph=fullgraph, grad=grad, settings=options or {}
    )
    program = runnable(fn, args, kwargs, choice, backend, detail, max_steps)
    recording, _ = program.explored(fn, args, kwargs, choice)
    recording.can_run_again(program)
    return recording


def runnable(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    choice: Choice,
    backend: str | Callable[..., Any] = "inductor",
    detail: Detail = "normal",
    max_steps: int = MAX_STEPS,
) -> FunctionProgram:
    """What is needed to run it again, made before a run changes its arguments."""
    from dynamo_lab.record.lower import lowered
    from dynamo_lab.record.program import FunctionProgram

    settings = {"mode": choice.mode, "dynamic": choice.dynamic, "options": choice.settings or None}
    chosen = {"backend": backend, "fullgraph": choice.fullgraph, "grad": choice.grad, **settings}

    def explored(fn: Any, args: Any, kwargs: Any, choice: Choice) -> tuple[Recording, Any]:
        recorder = new_recorder(name_of(fn), detail, max_steps)
        if choice.target:  # lowered again since
            return lowered(fn, args, kwargs, choice, recorder)
        return explored_calls(fn, [(args, kwargs)], chosen, recorder)

    return FunctionProgram(fn, args, kwargs, explored, choice)


def explored_calls(
    fn: Any, calls: Sequence[Call], chosen: dict[str, Any], recorder: Recorder[Recording]
) -> tuple[Recording, Any]:
    """The recording of `fn` compiled and called, and what the last call returned.

    `chosen` are torch.compile's options, and `grad` as for `explore`.
    """
    from dynamo_lab.capture.core.running import run
    from dynamo_lab.capture.session import watch  # imports torch, which reading a file need not

    recorder.options.update({k: name_of(v) for k, v in chosen.items() if v is not None})
    result = None
    with watch(recorder):
        try:
            result = run(fn, calls, **chosen)
        except Exception as error:
            recorder.fail(error)
    return recorder.recording, result


@contextmanager
def record(
    title: str = "recording",
    *,
    fresh: bool = True,
    detail: Detail = "normal",
    max_steps: int = MAX_STEPS,
    target: str | None = None,
) -> Generator[Recorder[Recording], None, None]:
    """Record whatever `torch.compile` compiles in the block: `recording` of what it yields.

    Exceptions pass through, and what was recorded before them stays. By default Dynamo first
    forgets the code it has compiled (`torch._dynamo.reset()`), so that a function compiled before
    the block is seen too; `fresh=False` keeps it, to see why something compiles *again*. `detail`
    and `max_steps` are those of `explore`. With a `target`, what compiles is lowered for that
    device and runs eagerly instead, as `dynamo_lab.lower` does.

    Raises:
        AlreadyRecordingError: another recording is running.
        OptionError: there is no such target.
    """
    from dynamo_lab.record.program import Choice

    recorder = new_recorder(title, detail, max_steps)
    with recording_into(recorder, Choice(target=target or ""), fresh):
        yield recorder


@contextmanager
def recording_into(
    recorder: Recorder[Recording], choice: Choice, fresh: bool = True
) -> Generator[Recorder[Recording], None, None]:
    """Record the block as `record` does, lowering it where a target was chosen."""
    from dynamo_lab.capture.session import watch
    from dynamo_lab.record.lower import lowering_for

    lowers = lowering_for(recorder, choice) if choice.target else nullcontext()
    with lowers, watch(recorder, fresh=fresh):  # the probes may sit on what lowering replaces
        try:
            yield recorder
        except BaseException as error:
            recorder.fail(error)
            raise


def new_recorder(
    title: str, detail: Detail = "normal", max_steps: int = MAX_STEPS
) -> Recorder[Recording]:
    """A recorder of recordings to hold, which keeps steps if asked for.

    Raises:
        OptionError: there is no such detail, or no step would be kept.
    """
    if detail not in get_args(Detail):
        raise OptionError(f'There is no detail {detail!r}: pass "normal" or "steps".')
    if max_steps < 1:
        raise OptionError(f"max_steps={max_steps} keeps nothing: pass 1 or more.")
    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.steps.columns import Reel

    reel = Reel(max_steps) if detail == "steps" else None
    recorder = Recorder(title, cell_label, Recording, reel=reel)

    def attach_what_lives(recording: Recording) -> None:
        would_pass.attach(recording, recorder.checks)
        budgets.attach(recording, recorder.joints)
        kernel_checks.attach(recording, recorder.written)
        assembly.attach(recording)

    recorder.on_frozen = attach_what_lives
    return recorder


def refuse_uncallable(fn: Any) -> None:
    """Raise where there is nothing to call.

    Raises:
        OptionError: `fn` is no function.
    """
    if not callable(fn):
        raise OptionError(
            f"{fn!r:.80} cannot be called: pass a function or a module, then its arguments."
        )


def name_of(thing: Any) -> str:
    """How an option or a program is named in a recording."""
    if isinstance(thing, str | bool | dict):
        return str(cast("object", thing))
    return getattr(thing, "__name__", type(thing).__name__)

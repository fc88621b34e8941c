"""The entry points: compile a function and record it, or record whatever compiles in a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, overload

from dynamo_lab.api.recording import Recording, recording_of
from dynamo_lab.api.side_by_side import SideBySide
from dynamo_lab.errors import OptionError
from dynamo_lab.record.explore import explore as explored
from dynamo_lab.record.lower import recording_into
from dynamo_lab.record.recorders import MAX_STEPS, Detail, recorder_arguments, refuse_uncallable
from dynamo_lab.record.run import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.api.recorder import Recorder
    from dynamo_lab.capture.session import Watch


@overload
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
    logs: str = "",
    **kwargs: Any,
) -> Recording: ...
@overload
def explore(
    fn: Callable[..., Any],
    *args: Any,
    backend: Sequence[str],
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    options: dict[str, Any] | None = None,
    grad: bool | None = None,
    detail: Detail = "normal",
    max_steps: int = MAX_STEPS,
    logs: str = "",
    **kwargs: Any,
) -> SideBySide: ...


def explore(
    fn: Callable[..., Any],
    *args: Any,
    backend: str | Callable[..., Any] | Sequence[str] = "inductor",
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    options: dict[str, Any] | None = None,
    grad: bool | None = None,
    detail: Detail = "normal",
    max_steps: int = MAX_STEPS,
    logs: str = "",
    **kwargs: Any,
) -> Recording | SideBySide:
    """Compile `fn` with `torch.compile`, run it once on these arguments, and return the recording.

    `fn` is a function or an nn.Module. What it raises does not stop the recording: it is its
    `failure`, and the views show how far the compiler got.

    Args:
        fn: What to compile; it is called as `fn(*args, **kwargs)`.
        *args: Arguments of `fn`.
        backend: As for `torch.compile`: "inductor", "lab", "eager", "aot_eager" or a function.
            Several names make a SideBySide: their kernels for the same work beside each other, and
            what each compiler did that the other did not.
        mode: As for `torch.compile`, such as "max-autotune".
        dynamic: As for `torch.compile`: True for symbolic shapes from the start.
        fullgraph: As for `torch.compile`: True makes a break an error.
        options: Inductor's options, as for `torch.compile`.
        grad: True also runs a backward pass from the sum of the tensors returned, False runs
            under `torch.no_grad()`. By default only the forward runs, with gradients on.
        detail: "steps" also records each instruction that Dynamo interprets, to step through.
        max_steps: The most steps to record; the view then says where they are cut.
        logs: What `TORCH_LOGS` would print, such as "+dynamo,graph_code": it is recorded instead,
            each message beside the view that shows the same.
        **kwargs: Keyword arguments of `fn`; one that is named as an option is passed by a function
            of your own: `lab.explore(lambda x: fn(x, mode="nearest"), x)`.

    Raises:
        OptionError: `fn` cannot be called, or an option has an invalid value.
    """
    refuse_uncallable(fn)
    choice = Choice(
        mode=mode, dynamic=dynamic, fullgraph=fullgraph, grad=grad, settings=options or {}
    )
    asked: dict[str, Any] = {"detail": detail, "max_steps": max_steps, "logs": logs}

    def explored_by(backend: Any) -> Recording:
        return recording_of(explored(fn, args, kwargs, choice, backend=backend, **asked))

    if isinstance(backend, str) or callable(backend):
        return explored_by(backend)
    if not isinstance(cast("object", backend), list | tuple) or not backend:
        raise OptionError(f'backend={backend!r} is no backend: pass "lab", or a list of names.')
    return SideBySide({name: explored_by(name) for name in dict.fromkeys(backend)})


def record(
    title: str = "recording",
    *,
    fresh: bool = True,
    detail: Detail = "normal",
    max_steps: int = MAX_STEPS,
    logs: str = "",
    target: str | None = None,
) -> Watch[Recorder]:
    """Record whatever `torch.compile` compiles in the block; what it yields has the `recording`.

    Exceptions pass through, and what was recorded before them stays. By default Dynamo first
    forgets the code it has compiled (`torch._dynamo.reset()`), so that a function compiled before
    the block is seen too; `fresh=False` keeps it, to see why something compiles *again*. `detail`,
    `max_steps` and `logs` are those of `explore`. With a `target`, what compiles is lowered for
    that device and runs eagerly instead, as `dynamo_lab.lower` does.

    Raises:
        AlreadyRecordingError: another recording is running.
        OptionError: there is no such target.
    """
    arguments = recorder_arguments(title, detail, max_steps, logs)
    from dynamo_lab.api.recorder import Recorder  # imports torch, which reading a file need not

    return recording_into(Recorder(**arguments), Choice(target=target or ""), fresh)

"""The ways in: compile a function and record it, or record whatever compiles in a block."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from dynamo_lab.cells import cell_label
from dynamo_lab.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from dynamo_lab.capture.recorder import Recorder


def explore(
    fn: Callable[..., Any],
    *args: Any,
    backend: str | Callable[..., Any] = "inductor",
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    options: dict[str, Any] | None = None,
    grad: bool | None = None,
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
        **kwargs: Keyword arguments of `fn`.
    """
    from dynamo_lab.programs import FunctionProgram

    settings = {"mode": mode, "dynamic": dynamic, "options": options}
    chosen = {"backend": backend, "fullgraph": fullgraph, "grad": grad, **settings}

    def explored(fn: Any, args: Any, kwargs: Any) -> tuple[Recording, Any]:
        return _explore(fn, args, kwargs, chosen)

    program = FunctionProgram(fn, args, kwargs, explored, grad)  # before the run changes anything
    recording, _ = _explore(fn, args, kwargs, chosen)
    recording.can_run_again(program)
    return recording


def _explore(fn: Any, args: Any, kwargs: Any, chosen: dict[str, Any]) -> tuple[Recording, Any]:
    """The recording, and what `fn` returned."""
    from dynamo_lab.capture.running import run_once
    from dynamo_lab.capture.session import watch  # imports torch, which reading a file need not

    recorder = _recorder(_name_of(fn))
    recorder.options.update({k: _name_of(v) for k, v in chosen.items() if v is not None})
    result = None
    with watch(recorder):
        try:
            result = run_once(fn, args, kwargs, **chosen)
        except Exception as error:
            recorder.fail(error)
    return recorder.recording, result


@contextmanager
def record(
    title: str = "recording", *, fresh: bool = True
) -> Generator[Recorder[Recording], None, None]:
    """Record whatever `torch.compile` compiles in the block: `recording` of what it yields.

    Exceptions pass through, and what was recorded before them stays. By default Dynamo first
    forgets the code it has compiled (`torch._dynamo.reset()`), so that a function compiled before
    the block is seen too; `fresh=False` keeps it, to see why something compiles *again*.

    Raises:
        AlreadyRecordingError: another recording is running.
    """
    from dynamo_lab.capture.session import watch

    recorder = _recorder(title)
    with watch(recorder, fresh=fresh):
        try:
            yield recorder
        except BaseException as error:
            recorder.fail(error)
            raise


def _recorder(title: str) -> Recorder[Recording]:
    from dynamo_lab.capture.recorder import Recorder

    return Recorder(title, cell_label, Recording)


def _name_of(thing: Any) -> str:
    """How an option or a program is named in a recording."""
    if isinstance(thing, str | bool | dict):
        return str(cast("object", thing))
    return getattr(thing, "__name__", type(thing).__name__)

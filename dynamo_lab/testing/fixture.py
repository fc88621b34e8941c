"""The pytest fixture `compile_check`: compile, call, record and check at once."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dynamo_lab.api.check import found_misses, refuse_no_counts, report
from dynamo_lab.api.recording import recording_of
from dynamo_lab.errors import CheckFailed, OptionError, OutputError
from dynamo_lab.record.explore import explored_calls
from dynamo_lab.record.recorders import name_of, new_recorder, refuse_uncallable
from dynamo_lab.view.compare.misses import nothing_captured

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from dynamo_lab.api.recording import Recording
    from dynamo_lab.capture.core.running import Call


class CompileCheck:
    """The fixture's value: call it with a function and its arguments.

    `folder` is where recordings of failed checks are saved, under the test's name.
    """

    def __init__(self, test: str, folder: str | None = None) -> None:
        self._test = test
        self._folder = folder
        self._checks = 0

    def __call__(
        self,
        fn: Callable[..., Any],
        /,
        *args: Any,
        over: Sequence[Any] | None = None,
        breaks: int | None = 0,
        graphs: int | None = None,
        recompiles: int | None = 0,
        frames: int | None = None,
        max_kernels: int | None = None,
        failures: int | None = 0,
        grad: bool | None = None,
        backend: str | Callable[..., Any] = "inductor",
        mode: str | None = None,
        dynamic: bool | None = None,
        fullgraph: bool = False,
        options: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Recording:
        """Compile `fn`, call it, and return the recording if it is as expected.

        Args:
            fn: A function or an nn.Module.
            *args: Its arguments.
            over: The arguments of several calls instead, one after another: each a tuple, a mapping
                of keyword arguments, or a single argument.
            breaks: How many graph breaks; None, here and below, does not check.
            graphs: How many graphs Dynamo captured; by default at least one, 0 means none.
            recompiles: How many recompilations because guards failed.
            frames: How many frames, without those of libraries that Dynamo skipped.
            max_kernels: The most kernels, those of libraries included.
            failures: How many probes failed, so that something is missing.
            grad: True also runs a backward pass from what each call returns; False turns it off.
            backend: As for `torch.compile`, like `mode`, `dynamic`, `fullgraph` and `options`.
            mode: See `backend`.
            dynamic: See `backend`.
            fullgraph: See `backend`.
            options: See `backend`.
            **kwargs: Keyword arguments of `fn`, in every call; one with a name from above goes
            into `over`.

        Raises:
            CheckFailed: it is not as expected; the message has the facts and the lines.
            OptionError: `fn` cannot be called, or an option has an invalid value.
        """
        __tracebackhide__ = True
        refuse_uncallable(fn)
        _refuse_no_grad(grad)
        calls = _calls(args, kwargs, over)
        expected = {
            "breaks": breaks,
            "graphs": graphs,
            "recompiles": recompiles,
            "frames": frames,
            "max_kernels": max_kernels,
            "failures": failures,
        }
        refuse_no_counts(expected)  # before anything compiles
        chosen = {
            "grad": grad,
            "backend": backend,
            "mode": mode,
            "dynamic": dynamic,
            "fullgraph": fullgraph,
            "options": options,
        }
        with _quiet_trace():
            run, _ = explored_calls(fn, calls, chosen, new_recorder(name_of(fn)))
        recording = recording_of(run)
        self._checks += 1
        found = found_misses(recording, expected)
        if graphs != 0 and recording.failure is None and not recording.captured_graphs():
            found.append(nothing_captured(recording))
        if found:
            text = report(recording, found, with_code=True)
            raise CheckFailed("\n".join([text, *self._kept(recording)]))
        return recording

    def _kept(self, recording: Recording) -> list[str]:
        """Save the recording, if there is a folder for it, and say where."""
        if not self._folder:
            return []
        path = Path(self._folder) / f"{_file_name(self._test)}-{self._checks}.json.gz"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"--compile-check-dir {self._folder!r} cannot be made ({error.strerror}): name "
                "a folder that you may write to."
            ) from None
        recording.save(path)
        return [f"The recording is saved: dynamo-lab show {path}"]


def _refuse_no_grad(grad: object) -> None:
    if grad is not None and not isinstance(grad, bool):
        raise OptionError(
            f"grad={grad!r:.80} is not an option: pass True, for a backward pass, False or None."
        )


def _calls(
    args: Sequence[Any], kwargs: Mapping[str, Any], over: Sequence[Any] | None
) -> list[Call]:
    if over is None:
        return [(args, kwargs)]
    if args:
        raise OptionError(
            "compile_check() takes arguments or over=, not both: put all calls in over."
        )
    if not isinstance(over, list | tuple) or not over:
        raise OptionError("over= is a list of the arguments of each call, such as [(x4,), (x8,)].")
    return [_call(one, kwargs) for one in over]


def _call(one: Any, kwargs: Mapping[str, Any]) -> Call:
    if isinstance(one, tuple):
        return cast("tuple[Any, ...]", one), kwargs
    if isinstance(one, Mapping):
        return (), {**kwargs, **cast("Mapping[str, Any]", one)}
    return (one,), kwargs


@contextmanager
def _quiet_trace() -> Generator[None, None, None]:
    """Hide PyTorch's trace from pytest, which would show hundreds of its lines on a failure."""
    trace = logging.getLogger("torch.__trace")
    before, trace.propagate = trace.propagate, False
    try:
        yield
    finally:
        trace.propagate = before


def _file_name(test: str) -> str:
    """A test's id as a file name: readable, short and unique."""
    readable = re.sub(r"[^\w.-]+", "_", test).strip("_")[-80:]
    return f"{readable}-{hashlib.sha256(test.encode(errors='replace')).hexdigest()[:8]}"

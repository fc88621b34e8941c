"""An export that failed, made again with a remedy, and compared with eager at several sizes."""

from __future__ import annotations

import linecache
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.errors import FixError
from dynamo_lab.live.changes import filed, rewritten
from dynamo_lab.live.observed import attempt, own
from dynamo_lab.record.recorders import new_recorder
from dynamo_lab.record.replay import Numbers, compare, without_trace
from dynamo_lab.record.run import Run
from dynamo_lab.view.findings.changes import ExportArguments, Rewrite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import torch

    from dynamo_lab.capture.packages.calls import Arguments, ExportCall
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.core.places import Line
    from dynamo_lab.view.findings.changes import Reexport


class Exported(NamedTuple):
    """The export that failed, and the same with the change."""

    before: Run
    after: Run
    numbers: Numbers


def reexported(
    recording: Recording, session: Session, change: Reexport, line: Line | None
) -> Exported:
    """Export again with a change, and run the result and eager on the same arguments.

    Raises:
        FixError: what was exported is not at hand, or the change cannot be made.
    """
    call = session.export_calls.get(change.export)
    if call is None:
        raise FixError(
            "What was exported is no longer at hand: this recording was loaded from a file, or "
            "came from a trial. Record the export in this process."
        )
    before = Run(recording)
    with ExitStack() as changed:
        _apply(changed, recording, change, line)
        run, program = _run(recording.title, call, change)
    if program is None:
        return Exported(before, run, Numbers(same=None, sentence="Not compared."))
    return Exported(before, run, _compared(call, program))


def _apply(changed: ExitStack, recording: Recording, change: Reexport, line: Line | None) -> None:
    """The lines of a rewrite in the live functions, until the block ends."""
    if not isinstance(change.change, Rewrite) or line is None:
        return
    source = recording.sources[line[0]]
    name = filed(source, change.change.text, "a check")
    changed.callback(linecache.cache.pop, name, None)
    for block in rewritten(source, change.change, line[1], name):
        changed.enter_context(block())


def _run(title: str, call: ExportCall, change: Reexport) -> tuple[Run, Any]:
    """The recording of the export, and what came of it, if anything."""
    from dynamo_lab.capture.session import watch

    arguments = change.change if isinstance(change.change, ExportArguments) else None
    shapes, strict = (arguments.shapes, arguments.strict) if arguments else ("", None)
    if shapes and shapes not in call.specs:
        raise FixError("The shapes that were suggested are not at hand: pass them by hand.")
    recorder, program = new_recorder(title), None
    watching = watch(recorder)
    with (
        without_trace([call.module, call.args, call.kwargs]),
        closing(watching),
        suppress(Exception),
        watching,
    ):
        program = call.again(shapes, strict)
    return Run.of(recorder, recorder.freeze()), program


def _compared(call: ExportCall, program: Any) -> Numbers:
    """Results and what is written to arguments, at the example's sizes and at others."""
    exported, sizes, worst = program.module(), list[str](), 0.0
    for given in _given(call, program):
        where = f"where {given.sizes}" if given.sizes else "at the example's sizes"
        eager, problem = _called(call, call.module, given)
        ours, failed = _called(call, exported, given)
        if problem is not None or eager is None:
            if not given.sizes:
                return Numbers(same=None, sentence=f"Not compared: eager raises {problem}.")
            continue  # those sizes are none of the model's
        if failed is not None or ours is None:
            return Numbers(
                same=False,
                sentence=f"The exported program raises {failed} {where}: eager does not.",
            )
        told = compare(eager, ours)
        if told.same is False:
            return Numbers(
                same=False, sentence=f"{where}: {told.sentence}", difference=told.difference
            )
        if told.same is None:
            return told
        worst = max(worst, told.difference or 0.0)
        sizes.append(where)
    sentence = f"The same numbers as eager {' and '.join(sizes)} (largest difference {worst:.3g})."
    return Numbers(same=True, sentence=sentence, difference=worst)


def _given(call: ExportCall, program: Any) -> Iterator[Arguments]:
    yield call.example()
    yield from call.resized(program)


def _called(
    call: ExportCall, model: Callable[..., Any], given: Arguments
) -> tuple[list[torch.Tensor] | None, str | None]:
    """What a call returns and writes to its arguments, undone in everything else."""
    import copy

    args, kwargs = copy.deepcopy((given.args, given.kwargs))
    with without_trace([call.module, model]):
        result, problem = attempt(lambda: model(*args, **kwargs))
        return (None, problem) if problem else (own((result, args, kwargs)), None)

"""Why is it wrong? Asked of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.api.bisections.answer import WhyWrong
from dynamo_lab.api.recording import Recording
from dynamo_lab.bench.progress import progress_bar
from dynamo_lab.record.recorders import name_of, refuse_compiled, refuse_uncallable
from dynamo_lab.record.run import Choice

if TYPE_CHECKING:
    from collections.abc import Callable


def why_wrong(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> WhyWrong[Recording]:
    """Why the compiled `fn` gives something else than eager, on these arguments.

    Outputs, gradients where a tensor requires them, and what `fn` writes are compared, each from
    the same values and seed. A difference is followed to the graph, the decomposition, pass,
    rewrite, lowering or fusion that makes it, in at most 15 compilations, and held against float64.
    Dynamo forgets what it has compiled before.

    Raises:
        OptionError: `fn` cannot be called, or is compiled already.
        BisectionError: `fn` raises without being compiled.
        AlreadyRecordingError: a recording is running.
    """
    refuse_uncallable(fn)
    refuse_compiled(fn)
    from dynamo_lab.bench.bisections.run import find

    with progress_bar() as watch:
        found = find(fn, args, kwargs, Choice(), watch, name_of(fn))
    return WhyWrong(Recording.of(found.facts, found.session), found.held)

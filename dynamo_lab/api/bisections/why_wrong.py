"""Why is it wrong? Asked of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.api.bisections.answer import WhyWrong
from dynamo_lab.api.recording import Recording
from dynamo_lab.bench.progress import progress_bar
from dynamo_lab.errors import OptionError
from dynamo_lab.record.recorders import name_of, refuse_compiled, refuse_uncallable
from dynamo_lab.record.run import Choice

if TYPE_CHECKING:
    from collections.abc import Callable


def why_wrong(
    fn: Callable[..., Any],
    *args: Any,
    mode: str | None = None,
    dynamic: bool | None = None,
    fullgraph: bool = False,
    options: dict[str, Any] | None = None,
    grad: bool | None = None,
    **kwargs: Any,
) -> WhyWrong[Recording]:
    """Why the compiled `fn` gives something else than eager, on these arguments.

    Outputs, gradients where a tensor requires them, and what `fn` writes are compared, each from
    the same values and seed. A difference is followed to the graph, the decomposition, pass,
    rewrite, lowering or fusion that makes it, in at most 15 compilations, and held against float64.
    Dynamo forgets what it has compiled before.

    Args:
        fn: A function or an nn.Module; it is called as `fn(*args, **kwargs)`.
        *args: Arguments of `fn`.
        mode: As for `torch.compile`. A fault may be there with one way of compiling alone, so pass
            what your program passes.
        dynamic: As for `torch.compile`.
        fullgraph: As for `torch.compile`.
        options: Inductor's options, as for `torch.compile`.
        grad: False compares without gradients.
        **kwargs: Keyword arguments of `fn`.

    Raises:
        OptionError: `fn` cannot be called, or is compiled already, or `torch.compile` has no such
            option.
        BisectionError: `fn` raises without being compiled.
        AlreadyRecordingError: a recording is running.
    """
    refuse_uncallable(fn)
    refuse_compiled(fn)
    _refuse_unknown(fn, {"mode": mode, "dynamic": dynamic, "options": options})
    from dynamo_lab.bench.bisections.run import find

    choice = Choice(
        mode=mode, dynamic=dynamic, fullgraph=fullgraph, grad=grad, settings=options or {}
    )
    with progress_bar() as watch:
        found = find(fn, args, kwargs, choice, watch, name_of(fn))
    return WhyWrong(Recording.of(found.facts, found.session), found.held)


def _refuse_unknown(fn: Callable[..., Any], chosen: dict[str, Any]) -> None:
    """Raise for options that `torch.compile` refuses: a search would take that for a fault."""
    import torch

    if chosen["dynamic"] not in (None, True, False):
        raise OptionError(f"dynamic={chosen['dynamic']!r} is no such option: pass True or False.")
    untyped: Any = torch
    try:
        untyped.compile(fn, **chosen)
    except Exception as error:
        what = str(error).split(", known options")[0].rstrip(".")
        raise OptionError(f"torch.compile refuses these options: {what}.") from error

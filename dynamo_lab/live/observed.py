"""What a run of a program leaves, and whether a change of the program keeps it."""

from __future__ import annotations

import contextlib
import io
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.record.reach import reachable
from dynamo_lab.record.replay import Numbers, compare
from dynamo_lab.view.core.words import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    import torch

    from dynamo_lab.record.run import Program


Lines = tuple[str, ...]
"""What was written to standard output."""


class Observed(NamedTuple):
    """The tensors that a run returns, those it may have written, and gradients that it left.

    `printed` are the lines that it wrote to standard output.
    """

    returned: list[torch.Tensor]
    written: list[torch.Tensor]
    gradients: list[torch.Tensor]
    printed: Lines = ()

    @property
    def tensors(self) -> tuple[list[torch.Tensor], ...]:
        """Those returned, written, and gradients."""
        return self[:3]


def observed(roots: Sequence[Any], program: Program, result: Any, printed: Lines = ()) -> Observed:
    """What a run of a program, or of one made from it, has just left in what `roots` reach."""
    import torch

    reached = reachable([*roots, program.passed])
    tensors = [one for one in reached if isinstance(one, torch.Tensor)]
    gradients = [one.grad for one in tensors if one.is_leaf and one.grad is not None]
    return Observed(own(result), own(tensors), own(gradients), printed)


def own(result: Any) -> list[torch.Tensor]:
    """Copies of the tensors in a result: they may lie in memory that is restored."""
    from dynamo_lab.capture.core.running import tensors_in

    return [tensor.detach().clone() for tensor in tensors_in(result)]


def attempt(run: Callable[[], Any]) -> tuple[Any, str | None]:
    """The result, and the kind of the error that it raised instead."""
    try:
        return run(), None
    except Exception as error:
        return None, type(error).__name__


class Heard:
    """The lines that were written to standard output, known once its block has ended."""

    lines: Lines = ()


@contextlib.contextmanager
def heard() -> Generator[Heard, None, None]:
    """Keep what is written to standard output meanwhile, and do not show it."""
    found, written = Heard(), io.StringIO()
    try:
        with contextlib.redirect_stdout(written):
            yield found
    finally:
        found.lines = tuple(written.getvalue().splitlines())


_KINDS = ("", "What is written to arguments and buffers: ", "Gradients: ")


def compared(
    eager: Observed | None,
    plain: Callable[[], Observed],
    changed: Observed,
    problem: str | None,
    *,
    drops: bool = False,
) -> Numbers:
    """Whether the change keeps results, writes, gradients and prints; the first that differs.

    Eager is what is right. What the compiled program gave without the change (`plain`, which is
    asked for only where something differs) is no worse than it was: random numbers, for one, are
    drawn in another way. A change that `drops` a call loses what that prints, on purpose.
    """
    if problem is not None or eager is None:
        return Numbers(same=None, sentence=f"Not compared: run eagerly, it raises {problem}.")
    found = _numbers(eager, plain, changed)
    said = "" if found.same is False else difference(eager.printed, changed.printed)
    if not said or not difference(plain().printed, changed.printed):
        return found
    sentence = f"{found.sentence} {said}" if drops else said
    return Numbers(same=None if drops else False, sentence=sentence, difference=found.difference)


def _numbers(eager: Observed, plain: Callable[[], Observed], changed: Observed) -> Numbers:
    """Whether the tensors are those of eager, or those that there were without the change."""
    told = [compare(*pair) for pair in zip(eager.tensors, changed.tensors, strict=True)]
    wrong = [at for at, one in enumerate(told) if one.same is False]
    if not wrong:
        same = any(one.same for one in told)
        worst = max((one.difference or 0.0 for one in told), default=0.0)
        sentence = (
            "Results, what is written and gradients are as in eager "
            f"(largest difference {worst:.3g})."
        )
        return Numbers(same=True, sentence=sentence, difference=worst) if same else told[0]
    at, before = wrong[0], plain().tensors
    if all(compare(before[which], changed[which]).same is not False for which in wrong):
        sentence = "The numbers differ from eager, exactly as they do without the change."
        return Numbers(same=None, sentence=sentence, difference=told[at].difference)
    return Numbers(
        same=False, sentence=_KINDS[at] + told[at].sentence, difference=told[at].difference
    )


_NUMBER = re.compile(r"0x[0-9a-fA-F]+|-?\d+\.?\d*(?:e[+-]?\d+)?|\b(?:nan|inf)\b")
_GRADIENT = re.compile(r"grad_fn=<\w+>")
_SHOWN = 60


def difference(before: Lines, after: Lines) -> str:
    """What of the printed lines is lost, added or another, in a sentence; empty if nothing is.

    Numbers may be others: they are compared in tensors, and compiled code rounds otherwise. So may
    the order: a print that Dynamo puts off comes later.
    """
    told, now = (Counter(map(_form, lines)) for lines in (before, after))
    lost, more = told - now, now - told
    if not lost and not more:
        return ""
    if not more:
        which = _first(before, lost)
        of, count = plural(len(before), "printed line"), lost.total()
        return f"Of {of}, {count:,} {'is' if count == 1 else 'are'} lost: {which}."
    if not lost:
        return f"{plural(more.total(), 'line')} more than in eager: {_first(after, more)}."
    return f"It prints {_first(after, more)} in place of {_first(before, lost)}."


def _form(line: str) -> str:
    """A line without its numbers, and without the names of what computes gradients."""
    return " ".join(_NUMBER.sub("#", _GRADIENT.sub("grad_fn", line)).split())


def _first(lines: Lines, of: Counter[str]) -> str:
    line = next(line for line in lines if _form(line) in of).strip()
    return f"`{line[:_SHOWN]}`" if line else "an empty line"

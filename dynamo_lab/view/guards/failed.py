"""Which of the recorded guards it was that did not hold for a call."""

import re
from collections.abc import Sequence

from dynamo_lab.model.guards.guards import FailedGuard, Guard, Recompile
from dynamo_lab.view.core.words import listed

_OF_TENSOR = re.compile(
    r"(size|stride|dtype|rank|requires_grad|dispatch key set) mismatch|^expected type of "
)
"""What the check of a tensor says that fails, in C++'s words: it is one check of many things."""
_OF_STATE = "GLOBAL_STATE changed"

Listed = Sequence[tuple[Guard, tuple[str, ...]]]
"""Guards in the order to read them, each with the compilations that have it."""


def failed_guard(failed: FailedGuard, guards: Listed) -> int | None:
    """The place of the guard that failed, None where that is not known.

    A check names its guard by its own text, by what only one kind of guard says, or by a value that
    only one guard is on.
    """
    own = [at for at, (_, ids) in enumerate(guards) if failed.compile_id in ids]
    if failed.text.startswith(_OF_STATE):
        return _only([at for at in own if guards[at][0].kind == "GLOBAL_STATE"])
    by_text = [at for at in own if failed.text in map(_check, guards[at][0].expressions)]
    if by_text:
        return _only(by_text)
    on_value = [at for at in own if failed.source and guards[at][0].source == failed.source]
    if _OF_TENSOR.search(failed.text):
        return _only([at for at in on_value if guards[at][0].kind == "TENSOR_MATCH"])
    return _only(on_value)


def _only(found: Sequence[int]) -> int | None:
    return found[0] if len(found) == 1 else None


def _check(expression: str) -> str:
    """A check without the line that asked for it."""
    return expression.partition("  # ")[0].rstrip()


def what_followed(recompiles: Sequence[Recompile], guards: Listed) -> dict[int, str]:
    """What each guard that is known to have failed led to, in words, by its place."""
    compiled: dict[int, list[str]] = {}
    eager: set[int] = set()
    for again in recompiles:
        for one in again.failed:
            at = failed_guard(one, guards)
            if at is not None and again.limit_hit:
                eager.add(at)
            elif at is not None:
                compiled.setdefault(at, []).append(again.compile_id)
    return {at: _told(compiled.get(at, ()), at in eager) for at in sorted({*compiled, *eager})}


def _told(compiled: Sequence[str], is_eager: bool) -> str:
    """As in 'It did not hold, so 0/1 was compiled'."""
    made = f"{listed(compiled)} {'was' if len(compiled) == 1 else 'were'} compiled"
    parts = [made] if compiled else []
    parts += ["a call ran eagerly"] if is_eager else []
    return f"It did not hold, so {' and '.join(parts)}."

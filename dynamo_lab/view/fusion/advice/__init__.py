"""Why Inductor does not fuse a pair, in plain words, and what would change it.

PyTorch's reasons are those of torch 2.11 to 2.15: scheduler.py, choices.py and codegen/. In the
sentences {a} stands for the operations that come first, {b} for the others.
"""

from dynamo_lab.model.fusion.fusion import Ruling
from dynamo_lab.view.fusion.advice import calls, groups, loops, templates
from dynamo_lab.view.fusion.advice.loops import loop_text, of_loops
from dynamo_lab.view.fusion.advice.sentences import Advice
from dynamo_lab.view.fusion.advice.verdicts import CHECKS, POSSIBLE, POSTPONED, UNSEEN

__all__ = [
    "UNSEEN",
    "Advice",
    "advice",
    "filled",
    "is_known",
    "loop_text",
    "of_loops",
    "of_reason",
]

_REASONS = groups.REASONS | calls.REASONS | templates.REASONS | loops.REASONS
"""Advice by how a reason begins; the first that fits counts."""


def advice(ruling: Ruling) -> tuple[Advice, ...]:
    """What stands in the way of a pair; one entry a reason, those unknown as PyTorch has them."""
    if ruling.outcome == "fused":
        return ()
    if ruling.outcome == "possible":
        return (POSSIBLE if ruling.score else POSTPONED,)
    if ruling.reasons:
        return tuple(of_reason(reason) for reason in ruling.reasons)
    return (CHECKS[ruling.check],) if ruling.check in CHECKS else ()


def filled(text: str, one: str, other: str) -> str:
    """A sentence of advice about a pair by name."""
    return text.replace("{a}", one).replace("{b}", other)


def of_reason(reason: str) -> Advice:
    """The advice on one of PyTorch's reasons; an unknown one is its own sentence."""
    for start, found in _REASONS.items():
        if reason.startswith(start):
            return found
    for part, found in templates.PARTS.items():
        if part in reason:
            return found
    return Advice(reason)


def is_known(reason: str) -> bool:
    """Whether there is a sentence of our own for it."""
    return of_reason(reason) != Advice(reason)

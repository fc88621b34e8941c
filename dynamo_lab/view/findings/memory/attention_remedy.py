"""What to call in place of attention written by hand, and what that does not do by itself."""

from dynamo_lab.view.core.words import listed
from dynamo_lab.view.findings.memory.attention import Scores

_CALL = "out = torch.nn.functional.scaled_dot_product_attention({}, scale={}){}"
_AS_FOUR = {
    2: ("q[None, None], k[None, None], v[None, None]", "[0, 0]"),
    3: ("q[:, None], k[:, None], v[:, None]", "[:, 0]"),
    4: ("q, k, v", ""),
}
"""By their dimensions, how operands become those of four, and the result what it was."""
_FLEX = """from torch.nn.attention.flex_attention import flex_attention

def score_mod(score, batch, head, query, key):
    return {}

out = flex_attention({}, score_mod=score_mod, scale={}){}"""


def has_call(scores: Scores, *, trains_on_a_cpu: bool) -> bool:
    """Whether there is a call that computes it: on a CPU `flex_attention` has no gradient."""
    return not (trains_on_a_cpu and _needs_flex(scores))


def by_hand(scores: Scores) -> str:
    """What there is to do where no call computes it."""
    return (
        f"The scores go through {_named(scores)} as well, which `scaled_dot_product_attention` "
        "does not do, and `flex_attention`, which does, computes no gradients on a CPU. A factor "
        "of a whole query, or of a head, can be multiplied into q before: without other operators "
        "it is the former's."
    )


def _needs_flex(scores: Scores) -> bool:
    return bool(scores.others) and not scores.mask


def _named(scores: Scores) -> str:
    return listed([f"`{name}`" for name in dict.fromkeys(scores.others)])


def remedy(scores: Scores, dropout: str) -> str:
    """What to call, and what that does not do by itself."""
    if not dropout:
        return _call(scores)
    if _needs_flex(scores):
        return f"{_call(scores)} `flex_attention` has no dropout: this program's is lost then."
    return f"{_call(scores)} Dropout draws other random numbers then."


def _call(scores: Scores) -> str:
    told = "which computes it block by block and never stores the matrix"
    four = "for operands of four dimensions: batch, heads, length, features"
    rounding = "Sums are then in another order: results differ by rounding."
    if not scores.others:
        return f"Call `scaled_dot_product_attention`, {told}, {four}. {rounding}"
    if scores.mask:
        return (
            f"Call `scaled_dot_product_attention`, {told}, {four}. {rounding} The scores go "
            f"through {_named(scores)} as well: what is added to them or masked is `attn_mask`."
            f"{_true(scores)}"
        )
    return (
        f"The scores go through {_named(scores)} as well, which `scaled_dot_product_attention` "
        f"does not do. Call `flex_attention` in compiled code, {told}, {four}, with what becomes "
        f"of a score as `score_mod`. On a CPU it computes no gradients. {rounding} A factor of a "
        "whole query, or of a head, can also be multiplied into q before."
    )


def _true(scores: Scores) -> str:
    """What True means in a mask, which `masked_fill` takes the other way round."""
    if not any(one.startswith("masked_fill") for one in scores.others):
        return ""
    return (
        " True keeps a score there; `masked_fill` fills where it is True. A query whose keys are "
        "all masked may give other numbers."
    )


def code(scores: Scores, rank: int, dropout: str) -> str:
    """The call; what it is given besides q, k and v is left to fill in."""
    several = ", ".join(f"{one}.flatten(0, {rank - 4})" for one in "qkv")
    flattened = (several, f".unflatten(0, q.shape[:{rank - 3}])")
    operands, after = _AS_FOUR.get(rank, flattened)
    if _needs_flex(scores):
        changed = scores.formula or "...  # what becomes of a score"
        return _FLEX.format(changed, operands, scores.scale, after)
    given = [scores.scale]
    if scores.others:
        given.append(f"attn_mask={scores.mask}")
    if dropout:
        given.append(f"dropout_p={dropout}")
    return _CALL.format(operands, ", ".join(given), after)

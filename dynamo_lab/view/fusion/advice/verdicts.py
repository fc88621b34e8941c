"""Why not, where no reason was given."""

from dynamo_lab.model.lowering import Compiler
from dynamo_lab.view.fusion.advice.sentences import LIBRARY, Advice

CHECKS: dict[str, Advice] = {
    "parts": Advice(
        "Lists of tensors are fused index by index, and at one of these they cannot be fused."
    ),
    "early": Advice(
        "It was ruled out before its data was looked at: they run in different streams, or one of "
        "them is a group of reductions that takes nothing more.",
    ),
    "slower": Advice(
        "A benchmark (`torch._inductor.config.benchmark_fusion`) found the fused kernel no faster."
    ),
    "peak": Advice("Fused, the program would need more memory at its peak."),
}

POSSIBLE = Advice(
    "Nothing spoke against it, but one of the two was fused with another first: pairs are taken in "
    "the order of their scores. They were considered again, as the groups that they are in then."
)

POSTPONED = Advice(
    "Nothing spoke against it, but pairs of a better kind came first: loops that share only their "
    "outer part wait until no others are left. It was considered again in a later round."
)

_INDUCTOR: dict[str, Advice] = {
    "product": Advice(
        "{a} calls a library function, `{call}`, and such a call is never a candidate.", LIBRARY
    ),
    "library": Advice(
        "{a} calls a library function, `{call}`, and such a call is never a candidate."
    ),
    "view": Advice(
        "{a} calls `{call}`, which makes a view of what it reads: nothing is computed, so there is "
        "nothing to fuse."
    ),
    "wrapper": Advice(
        "{a} is done by the generated code itself, between kernels: it reads or checks a size, or "
        "runs a body, whose kernels are its own."
    ),
    "nothing": Advice("{a} does no work of its own, so there is nothing to fuse."),
    "part": Advice(
        "They never were a pair: {a} writes its result into its place in a larger buffer, which "
        "the other reads under another name, and only operations that use a buffer of one name "
        "are looked at.",
        "Compute with the parts before they are put together.",
    ),
    "apart": Advice(
        "They never were a pair: Inductor looks only at operations that use a buffer in common, "
        "and these have none.",
        "Let both read the same tensor, or one the other's result. "
        "`torch._inductor.config.combo_kernels = True` puts independent kernels into one on a GPU.",
    ),
    "crowded": Advice(
        "They use a buffer in common, but so do many others: each is paired with the next few "
        "only.",
        "Raise `torch._inductor.config.max_fusion_buffer_group_pairwise_attempts` (64 by default).",
    ),
    "unkept": Advice(
        "This schedule considered more pairs than are kept, so this one may have been refused."
    ),
    "same": Advice("That is one and the same operation."),
}

_LAB = _INDUCTOR | {
    "product": _INDUCTOR["library"],
    "apart": Advice(
        "They never were a pair: only operations that use a buffer in common are looked at, and "
        "these have none.",
        "Let both read the same tensor, or one the other's result.",
    ),
    "crowded": Advice(
        "They use a buffer in common, but so do many others: each is paired with the next few "
        "only.",
    ),
}

UNSEEN: dict[Compiler, dict[str, Advice]] = {"Inductor": _INDUCTOR, "lab": _LAB}
"""Pairs on which there is no verdict, by compiler: why not."""

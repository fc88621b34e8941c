"""Reasons against one loop, or one kernel, of two."""

from dynamo_lab.model.fusion.fusion import Group
from dynamo_lab.view.fusion.advice.sentences import Advice

REASONS: dict[str, Advice] = {
    "Split scan cannot fuse": Advice("A scan that runs in several blocks holds no reduction."),
    "numel/rnumel mismatch (reduce)": Advice("Both are reductions, but over different sizes."),
    "numel/rnumel mismatch prologue": Advice("{a} differs in size from what is there."),
    "numel/rnumel mismatch": Advice("Their loops have different sizes."),
    "nodes numel/rnumel incompatibility": Advice(
        "The loop of the one cannot be cut into the reduction of the other."
    ),
    "nodes numel incompatibility": Advice("Their loops have different sizes."),
    "tiling mismatch": Advice(
        "They would be cut into blocks differently, as their data lies differently in memory.",
        "Set `torch._inductor.config.triton.tiling_prevents_pointwise_fusion = False`.",
    ),
    "invalid tiling for reduction": Advice(
        "The elementwise part would be cut into blocks otherwise than the reduction.",
        "Set `torch._inductor.config.triton.tiling_prevents_reduction_fusion = False`.",
    ),
    "register spilling of the first": Advice(
        "{a} alone already needs more registers than there are."
    ),
    "register spilling of the second": Advice(
        "{b} alone already needs more registers than there are."
    ),
    "register spilling of the fused": Advice(
        "Fused, they would need more registers than there are."
    ),
    "incompatible reduction contracts": Advice("They promise different orders of adding up."),
    "reduction fusion does not preserve strict": Advice(
        "The order in which a sum is added up has to stay, and would not."
    ),
    "nested reduction append": Advice(
        "It cannot be placed within the two reductions that are one kernel already."
    ),
    "staged": Advice("The plan of a kernel in stages would not hold any more."),
    "sub-parent epilogue": Advice("The work after the reduction cannot be placed in its kernel."),
    "consumer is not wholly in": Advice("Only a part of {b} could go after the reduction."),
    "invalid sub-parent": Advice("The work after the reduction cannot be placed in its kernel."),
}

_MOST_SIDE_BY_SIDE = 16


def of_loops(one: Group, other: Group, backend: str, *, is_vertical: bool) -> Advice:
    """What a code generator that gives no reason has against a pair, from the two loops.

    Source: torch/_inductor/codegen/cpp.py, `CppScheduling.can_fuse_horizontal` and `_vertical`.
    """
    is_cpp = backend == "CppScheduling"
    maker = "The C++ code generator" if is_cpp else f"The code generator, {backend},"
    loops = (one.loops, one.reduction), (other.loops, other.reduction)
    if is_cpp and not is_vertical and "outer_loop" in (one.kind, other.kind):
        return Advice(f"{maker} adds nothing beside loops that share only their outer part.")
    if loops[0] != loops[1]:
        texts = f"{{a}} runs over {loop_text(one)}, {{b}} over {loop_text(other)}"
        return Advice(f"{maker} cannot make one loop of theirs: {texts}.")
    if is_vertical and one.reduction:
        return Advice(
            f"{maker} ends {{a}}'s reduction, over {loop_text(one)}, before its result is used."
        )
    together = len(one.operations) + len(other.operations)
    if is_cpp and not is_vertical and together > _MOST_SIDE_BY_SIDE:
        return Advice(
            f"{maker} puts at most {_MOST_SIDE_BY_SIDE} operations side by side.",
            "Raise `torch._inductor.config.cpp.max_horizontal_fusion_size`.",
        )
    return Advice(f"{maker} has a rule against it, and gives no reason.")


def loop_text(group: Group) -> str:
    """'128 x 64', '128, reducing 64'; what has no loop runs over one element."""
    outer = " x ".join(group.loops) or "one element"
    return f"{outer}, reducing {' x '.join(group.reduction)}" if group.reduction else outer

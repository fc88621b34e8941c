"""Why Inductor does not fuse a pair, in plain words, and what would change it.

PyTorch's reasons are those of torch 2.11 to 2.15: scheduler.py, choices.py and codegen/. In the
sentences {a} stands for the operations that come first, {b} for the others.
"""

from msgspec import Struct

from dynamo_lab.model.fusion import Group, Ruling


class Advice(Struct, frozen=True):
    """A sentence on what stands in the way, and one on what would change it."""

    why: str
    change: str = ""


_DEPENDENCY = "Take away the dependency: compute what lies between before {a}, or after {b}."
_SHAPES = (
    "Give both the same sizes: move the `view`, `expand` or `cat` that changes them elsewhere."
)
_LAYOUT = (
    "Let both walk memory in one order: call `contiguous()` once, earlier, or drop a transpose."
)
_REDUCTION = "Reduce over the same dimensions of the same shape, then both can share one loop."
_TEMPLATE = "Write it as elementwise work on the product alone, with its shape."
_LIBRARY = (
    "A library function is called as it is. `mode='max-autotune'` makes templates of matrix "
    "products, which take work before and after them."
)
_FOREACH = "Use lists of the same length, and let each element depend on one element."

_REASONS: tuple[tuple[str, Advice], ...] = (
    (
        "intermediate nodes between",
        Advice("Something else has to run after {a} and before {b}.", _DEPENDENCY),
    ),
    (
        "will create cycle",
        Advice(
            "Fused, they would wait for themselves: another group needs {a}, and {b} needs that.",
            _DEPENDENCY,
        ),
    ),
    (
        "memory deps did not match",
        Advice(
            "{b} reads what {a} writes in another order or at other places, so the value is not at "
            "hand in the same step of the loop.",
            _LAYOUT,
        ),
    ),
    (
        "no shared data due to indexing mismatch",
        Advice(
            "They use a buffer in common, but walk it differently, so no value can be shared.",
            _LAYOUT,
        ),
    ),
    (
        "no shared data",
        Advice(
            "In no step of their loops do they need the same value, so one kernel would save no "
            "memory traffic.",
            f"{_LAYOUT} `torch._inductor.config.aggressive_fusion = True` fuses elementwise work "
            "even so.",
        ),
    ),
    (
        "score_fusion_memory_threshold",
        Advice(
            "They would save fewer bytes than is worth a fusion.",
            "Lower `torch._inductor.config.score_fusion_memory_threshold` (10 bytes by default).",
        ),
    ),
    (
        "exceeds max fusion",
        Advice(
            "Together they are more operations than one kernel may have.",
            "Raise `torch._inductor.config.max_fusion_size` (64 by default).",
        ),
    ),
    (
        "Fusion will increase peak memory",
        Advice(
            "Fused, buffers that could be reused one after the other would be needed at once.",
            "Inductor allows 32 times the bytes saved; no setting turns that off.",
        ),
    ),
    (
        "fusion_prevent_too_many_reads_and_writes",
        Advice(
            "One kernel would read and write too many different buffers.",
            "Raise `torch._inductor.config.max_fusion_unique_io_buffers`, or set it to None.",
        ),
    ),
    (
        "Nodes are too far away",
        Advice(
            "They lie more than 64 operations apart, and fusing them would keep buffers alive in "
            "between.",
            "Compute them closer together in your program.",
        ),
    ),
    (
        "node1 must go before node2",
        Advice("{b} is needed to compute {a}, so the pair makes sense in the other order only."),
    ),
    ("node2 is extern or nop", Advice("{b} calls a library function or does nothing.", _LIBRARY)),
    ("node1 is extern or nop", Advice("{a} calls a library function or does nothing.", _LIBRARY)),
    ("node1 is nop", Advice("{a} does no work of its own: it only names memory.")),
    ("node1 is extern but not a triton", Advice("{a} calls a library function.", _LIBRARY)),
    (
        "node1's triton kernel doesn't support",
        Advice(
            "{a} is a Triton kernel of yours that cannot take more work at its end.",
            "It has to write one buffer, and declare no more than one as changed.",
        ),
    ),
    (
        "node1 is extern but node2",
        Advice("{a} is a Triton kernel of yours, which takes elementwise work only.", _TEMPLATE),
    ),
    (
        "epilogue reads from buffers other",
        Advice("Work after your Triton kernel may read its result alone, and {b} reads more."),
    ),
    (
        "epilogue is not a unary read",
        Advice("Work after your Triton kernel may read its result alone, once."),
    ),
    ("epilogue's read and write", Advice("{b} writes at other places than it reads.", _LAYOUT)),
    ("node1 and node2 uses different", Advice("Their sizes or strides differ.", _LAYOUT)),
    (
        "grouped node must not",
        Advice("One of them is held in a group that has to stay as it is."),
    ),
    (
        "fusion for buffer explicit disabled",
        Advice("Another part of Inductor forbids it, to send the buffer to other devices."),
    ),
    (
        "device mismatch",
        Advice("They run on different devices.", "Move the data first, then compute."),
    ),
    (
        "template epilogue not satisfied",
        Advice(
            "{a} is a template, which takes elementwise work after it only: no reduction, no write "
            "in place.",
            "See that `torch._inductor.config.epilogue_fusion` is True. " + _TEMPLATE,
        ),
    ),
    ("multi-output template epilogue", Advice("{a} has several results, and {b} is not a loop.")),
    (
        "prologue fusion turned off",
        Advice(
            "Work before a template is not put into it.",
            "Set `torch._inductor.config.prologue_fusion = True`.",
        ),
    ),
    ("prologue fusion only supported for pointwise", Advice("Only elementwise work goes before.")),
    ("prologue fusion only supported for Triton", Advice("{b} is not a Triton template.")),
    ("template has no allowed prologue", Advice("The template takes no work before it.")),
    (
        "prologue fusion not implemented",
        Advice("The template takes no work before this one of its inputs."),
    ),
    (
        "template prologue can only fuse functional",
        Advice("{a} writes in place, or shares memory with an input."),
    ),
    (
        "template prologue can only fuse nodes with a single use",
        Advice("{a}'s result is needed elsewhere too.", "Use it once, or compute it twice."),
    ),
    (
        "prologue fusion will not increase amount of bytes",
        Advice("Inside the template, {a} would read more bytes than it writes, time and again."),
    ),
    (
        "prologue fusion will not increase attempt to fuse in padding",
        Advice("Padding inside of the template would make its reads unaligned."),
    ),
    (
        "prologue fusion that must be upcast",
        Advice("{a} computes in f32, which would slow down a template of lower precision."),
    ),
    ("foreach do not have same length", Advice("The two lists are not equally long.", _FOREACH)),
    (
        "candidate producer is a reduction",
        Advice("{a} is a reduction, which does not go into a foreach."),
    ),
    (
        "candidate consumer is a reduction",
        Advice("{b} is a reduction, which does not go into a foreach."),
    ),
    (
        "candidate producer is not dep of any",
        Advice("No element of the list needs {a}.", _FOREACH),
    ),
    (
        "candidate consumer has no dep in any",
        Advice("{b} needs no element of the list, or several.", _FOREACH),
    ),
    ("a consumer depends on another producer", Advice("An element needs several.", _FOREACH)),
    ("Split scan cannot fuse", Advice("A scan that runs in several blocks holds no reduction.")),
    (
        "numel/rnumel mismatch (reduce)",
        Advice("Both are reductions, but over different sizes.", _REDUCTION),
    ),
    ("numel/rnumel mismatch prologue", Advice("{a} differs in size from what is there.", _SHAPES)),
    (
        "numel/rnumel mismatch",
        Advice("Their loops have different sizes.", _SHAPES),
    ),
    (
        "nodes numel/rnumel incompatibility",
        Advice("The loop of the one cannot be cut into the reduction of the other.", _REDUCTION),
    ),
    ("nodes numel incompatibility", Advice("Their loops have different sizes.", _SHAPES)),
    (
        "tiling mismatch",
        Advice(
            "They would be cut into blocks differently, as their data lies differently in memory.",
            f"{_LAYOUT} Or `config.triton.tiling_prevents_pointwise_fusion = False`.",
        ),
    ),
    (
        "invalid tiling for reduction",
        Advice(
            "The elementwise part would be cut into blocks otherwise than the reduction.",
            f"{_LAYOUT} Or `config.triton.tiling_prevents_reduction_fusion = False`.",
        ),
    ),
    (
        "invalid loop order and tiling",
        Advice("The matrix product keeps its loops' order, and the other needs another.", _LAYOUT),
    ),
    (
        "register spilling of the first",
        Advice("{a} alone already needs more registers than there are."),
    ),
    (
        "register spilling of the second",
        Advice("{b} alone already needs more registers than there are."),
    ),
    (
        "register spilling of the fused",
        Advice("Fused, they would need more registers than there are."),
    ),
    ("cutlass epilogue fusion is not", Advice(
        "Work after a CUTLASS product is not put into it.",
        "Set `torch._inductor.config.cuda.cutlass_epilogue_fusion_enabled = True`.",
    )),
    (
        "epilogue fusion is only supported for TMA",
        Advice("This CUTLASS product cannot take work after it; one that uses TMA can."),
    ),
    ("incompatible reduction contracts", Advice("They promise different orders of adding up.")),
    (
        "template fusion does not preserve strict",
        Advice("The order in which a sum is added up has to stay, and would not in the template."),
    ),
    (
        "reduction fusion does not preserve strict",
        Advice("The order in which a sum is added up has to stay, and would not."),
    ),
    (
        "nested reduction append",
        Advice("It cannot be placed within the two reductions that are one kernel already."),
    ),
    ("staged", Advice("The plan of a kernel in stages would not hold any more.")),
    ("sub-parent epilogue", Advice("The work after the reduction cannot be placed in its kernel.")),
    ("consumer is not wholly in", Advice("Only a part of {b} could go after the reduction.")),
    ("invalid sub-parent", Advice("The work after the reduction cannot be placed in its kernel.")),
)  # fmt: skip

_PARTS: tuple[tuple[str, Advice], ...] = (
    ("is not a ComputedBuffer", Advice("It is no loop, so CUTLASS cannot take it in.")),
    ("is not a Pointwise op", Advice("Only elementwise work goes into a CUTLASS product.")),
    ("does not have a computed buffer name", Advice("Its result has no name of its own.")),
    ("has aliasing or mutation", Advice("It writes in place, or shares memory.")),
    ("is a reduction which is not yet", Advice("CUTLASS takes in no reduction.")),
    ("differs from", Advice("Its size is not that of the product.", _SHAPES)),
    ("non-contiguous compatible reshape", Advice("It reads a tensor in another shape.", _LAYOUT)),
    ("Cannot fuse epilogue node", Advice("CUTLASS has no such operation.")),
)
"""Reasons that begin with a name."""

_CHECKS: dict[str, Advice] = {
    "parts": Advice("Its parts cannot be fused one by one.", _FOREACH),
    "early": Advice(
        "It was ruled out before its data was looked at: they run in different streams, or one of "
        "them is a group of reductions that takes nothing more.",
    ),
    "slower": Advice(
        "A benchmark found the fused kernel no faster.",
        "`torch._inductor.config.benchmark_fusion = False` fuses without measuring.",
    ),
    "peak": Advice("Fused, the program would need more memory at its peak."),
}

POSSIBLE = Advice(
    "Nothing spoke against it, but one of the two was fused with another first: pairs are taken in "
    "the order of their scores.",
    "Look at the pairs of the groups that they are in then: they were considered again as those.",
)

POSTPONED = Advice(
    "Nothing spoke against it, but pairs of a better kind came first: loops that share only their "
    "outer part wait until no others are left.",
    "Look at the later rounds: it was considered again.",
)

UNSEEN: dict[str, Advice] = {
    "product": Advice(
        "{a} calls a library function, `{call}`, and such a call is never a candidate.", _LIBRARY
    ),
    "library": Advice(
        "{a} calls a library function, `{call}`, and such a call is never a candidate."
    ),
    "nothing": Advice("{a} does no work of its own, so there is nothing to fuse."),
    "apart": Advice(
        "They never were a pair: Inductor looks only at operations that use a buffer in common, "
        "and these have none.",
        "Let both read the same tensor, or one the other's result. "
        "`torch._inductor.config.combo_kernels = True` puts independent kernels into one on a GPU.",
    ),
    "crowded": Advice(
        "They use a buffer in common, but so do many others: each is paired with the next 64 only.",
        "Raise `torch._inductor.config.max_fusion_buffer_group_pairwise_attempts`.",
    ),
    "unkept": Advice(
        "This schedule considered more pairs than are kept, so this one may have been refused."
    ),
    "same": Advice("That is one and the same operation."),
}
"""Pairs on which there is no verdict: why not."""


def advice(ruling: Ruling) -> tuple[Advice, ...]:
    """What stands in the way of a pair; one entry a reason, those unknown as PyTorch has them."""
    if ruling.outcome == "fused":
        return ()
    if ruling.outcome == "possible":
        return (POSSIBLE if ruling.score else POSTPONED,)
    if ruling.reasons:
        return tuple(of_reason(reason) for reason in ruling.reasons)
    return (_CHECKS[ruling.check],) if ruling.check in _CHECKS else ()


def filled(text: str, one: str, other: str) -> str:
    """A sentence of advice about a pair by name."""
    return text.replace("{a}", one).replace("{b}", other)


def of_reason(reason: str) -> Advice:
    """The advice on one of PyTorch's reasons; an unknown one is its own sentence."""
    for start, found in _REASONS:
        if reason.startswith(start):
            return found
    for part, found in _PARTS:
        if part in reason:
            return found
    return Advice(reason)


def is_known(reason: str) -> bool:
    """Whether there is a sentence of our own for it."""
    return of_reason(reason) != Advice(reason)


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
        change = _REDUCTION if one.reduction or other.reduction else _SHAPES
        texts = f"{{a}} runs over {loop_text(one)}, {{b}} over {loop_text(other)}"
        return Advice(f"{maker} cannot make one loop of theirs: {texts}.", change)
    if is_vertical and one.reduction:
        return Advice(
            f"{maker} ends {{a}}'s reduction, over {loop_text(one)}, before its result is used.",
            "Let {b} run once for each result of {a}, not for each element that {a} reads.",
        )
    together = len(one.operations) + len(other.operations)
    if is_cpp and not is_vertical and together > _MOST_SIDE_BY_SIDE:
        return Advice(
            f"{maker} puts at most {_MOST_SIDE_BY_SIDE} operations side by side.",
            "Raise `torch._inductor.config.cpp.max_horizontal_fusion_size`.",
        )
    return Advice(f"{maker} has a rule against it, and gives no reason.")


_MOST_SIDE_BY_SIDE = 16


def loop_text(group: Group) -> str:
    """'128 x 64', '128, reducing 64'; what has no loop runs over one element."""
    outer = " x ".join(group.loops) or "one element"
    return f"{outer}, reducing {' x '.join(group.reduction)}" if group.reduction else outer

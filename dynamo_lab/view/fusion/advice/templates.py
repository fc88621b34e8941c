"""Reasons against work before and after a template, also those of CUTLASS."""

from dynamo_lab.view.fusion.advice.sentences import Advice

REASONS: dict[str, Advice] = {
    "template epilogue not satisfied": Advice(
        "{a} is a template, which takes elementwise work after it only: no reduction, no write "
        "in place."
    ),
    "multi-output template epilogue": Advice("{a} has several results, and {b} is not a loop."),
    "prologue fusion turned off": Advice(
        "Work before a template is not put into it.",
        "Set `torch._inductor.config.prologue_fusion = True`.",
    ),
    "prologue fusion only supported for pointwise": Advice("Only elementwise work goes before."),
    "prologue fusion only supported for Triton": Advice("{b} is not a Triton template."),
    "template has no allowed prologue": Advice("The template takes no work before it."),
    "prologue fusion not implemented": Advice(
        "The template takes no work before this one of its inputs."
    ),
    "template prologue can only fuse functional": Advice(
        "{a} writes in place, or shares memory with an input."
    ),
    "template prologue can only fuse nodes with a single use": Advice(
        "{a}'s result is needed elsewhere too."
    ),
    "prologue fusion will not increase amount of bytes": Advice(
        "Inside the template, {a} would read more bytes than it writes, time and again."
    ),
    "prologue fusion will not increase attempt to fuse in padding": Advice(
        "Padding inside of the template would make its reads unaligned."
    ),
    "prologue fusion that must be upcast": Advice(
        "{a} computes in f32, which would slow down a template of lower precision."
    ),
    "cutlass epilogue fusion is not": Advice(
        "Work after a CUTLASS product is not put into it.",
        "Set `torch._inductor.config.cuda.cutlass_epilogue_fusion_enabled = True`.",
    ),
    "epilogue fusion is only supported for TMA": Advice(
        "This CUTLASS product cannot take work after it; one that uses TMA can."
    ),
    "template fusion does not preserve strict": Advice(
        "The order in which a sum is added up has to stay, and would not in the template."
    ),
    "invalid loop order and tiling": Advice(
        "The matrix product keeps its loops' order, and the other needs another."
    ),
}

PARTS: dict[str, Advice] = {
    "is not a ComputedBuffer": Advice("It is no loop, so CUTLASS cannot take it in."),
    "is not a Pointwise op": Advice("Only elementwise work goes into a CUTLASS product."),
    "does not have a computed buffer name": Advice("Its result has no name of its own."),
    "has aliasing or mutation": Advice("It writes in place, or shares memory."),
    "is a reduction which is not yet": Advice("CUTLASS takes in no reduction."),
    "differs from": Advice("Its size is not that of the product."),
    "non-contiguous compatible reshape": Advice("It reads a tensor in another shape."),
    "Cannot fuse epilogue node": Advice("CUTLASS has no such operation."),
}
"""Reasons of CUTLASS that begin with a name."""

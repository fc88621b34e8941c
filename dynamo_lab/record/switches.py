"""The Inductor switches that change its code most, each with one sentence on what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping

Topic = Literal["compilation", "fusion", "storing", "reductions", "tiling", "memory", "layout"]


class Switch(Struct, frozen=True, kw_only=True):
    """A setting that a lowering can be run again with.

    `key` is its name in `torch._inductor.config`, or an argument of `torch.compile` where `topic`
    is "compilation". `values` are offered first; an integer may have any value. `targets` are the
    kinds of device whose code it changes, all if there is none.
    """

    name: str
    key: str
    topic: Topic
    sentence: str
    values: tuple[bool | int | str | None, ...]
    targets: tuple[str, ...] = ()


_GPU = ("cuda", "rocm")
_YES_NO = (True, False)


def _switch(
    name: str,
    key: str,
    topic: Topic,
    sentence: str,
    values: tuple[bool | int | str | None, ...] = _YES_NO,
    targets: tuple[str, ...] = (),
) -> Switch:
    return Switch(
        name=name, key=key, topic=topic, sentence=sentence, values=values, targets=targets
    )


SWITCHES = (
    _switch(
        "dynamic",
        "dynamic",
        "compilation",
        "Keep sizes as symbols, so that one kernel serves all of them.",
        (None, True, False),
    ),
    _switch(
        "mode",
        "mode",
        "compilation",
        "How much time compilation may take; max-autotune shows templates, chosen without timing.",
        (None, "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"),
    ),
    _switch(
        "max_fusion_size",
        "max_fusion_size",
        "fusion",
        "The most operations in one kernel; 1 turns fusion off.",
        (64, 16, 4, 2, 1),
    ),
    _switch(
        "epilogue_fusion",
        "epilogue_fusion",
        "fusion",
        "Let what follows a template, such as a matrix product, run inside its kernel.",
    ),
    _switch(
        "prologue_fusion",
        "prologue_fusion",
        "fusion",
        "Let what comes before a template run inside its kernel.",
        targets=_GPU,
    ),
    _switch(
        "aggressive_fusion",
        "aggressive_fusion",
        "fusion",
        "Consider also pairs that share no memory, if their loops are the same and none reduces. "
        "PyTorch refuses them unless its score_fusion_memory_threshold is 0.",
    ),
    _switch(
        "combo_kernels",
        "combo_kernels",
        "fusion",
        "Join independent kernels into one launch.",
        targets=_GPU,
    ),
    _switch(
        "loop_ordering",
        "loop_ordering_after_fusion",
        "fusion",
        "Reorder the loops of an operation, if that lets it fuse.",
    ),
    _switch(
        "pattern_matcher",
        "pattern_matcher",
        "fusion",
        "Rewrite known patterns of the graph before it is lowered.",
    ),
    _switch(
        "realize_reads_threshold",
        "realize_reads_threshold",
        "storing",
        "Store a value in memory, instead of inlining it, once it reads this many buffers.",
        (4, 1, 2, 16, 64),
    ),
    _switch(
        "realize_opcount_threshold",
        "realize_opcount_threshold",
        "storing",
        "Store a value in memory, instead of inlining it, once it takes this many operations.",
        (30, 1, 5, 100),
    ),
    _switch(
        "realize_acc_reads_threshold",
        "realize_acc_reads_threshold",
        "storing",
        "Store a value in memory once inlining has accumulated this many reads.",
        (8, 1, 4, 32),
    ),
    _switch(
        "split_reductions",
        "split_reductions",
        "reductions",
        "Split a long reduction in two, so that all of the device has work.",
    ),
    _switch(
        "unroll_reductions_threshold",
        "unroll_reductions_threshold",
        "reductions",
        "Generate reductions of fewer elements than this without a loop.",
        (8, 1, 16, 64),
    ),
    _switch(
        "persistent_reductions",
        "triton.persistent_reductions",
        "reductions",
        "Hold a whole row of a reduction in registers, instead of looping over it.",
        targets=_GPU,
    ),
    _switch(
        "cooperative_reductions",
        "triton.cooperative_reductions",
        "reductions",
        "Let several blocks work on one reduction, with a barrier between them.",
        targets=_GPU,
    ),
    _switch(
        "multi_kernel",
        "triton.multi_kernel",
        "reductions",
        "Generate a reduction both looped and persistent, to choose when it runs.",
        (0, 1),
        _GPU,
    ),
    _switch(
        "max_tiles",
        "triton.max_tiles",
        "tiling",
        "How many dimensions a block of a Triton kernel may have.",
        (None, 1, 2, 3),
        _GPU,
    ),
    _switch(
        "prefer_nd_tiling",
        "triton.prefer_nd_tiling",
        "tiling",
        "Keep a block's dimensions separate, instead of one flat index.",
        targets=_GPU,
    ),
    _switch(
        "vector_bits",
        "cpp.simdlen",
        "tiling",
        "The width of a CPU's vectors in bits; 1 generates plain loops.",
        (None, 512, 256, 1),
        ("cpu",),
    ),
    _switch(
        "vectorized_tails",
        "cpp.enable_loop_tail_vec",
        "tiling",
        "Handle the elements left over at a loop's end with a masked vector.",
        targets=("cpu",),
    ),
    _switch(
        "inplace_buffers",
        "inplace_buffers",
        "memory",
        "Let a kernel write its result over an input that is no longer needed.",
    ),
    _switch(
        "buffer_reuse",
        "allow_buffer_reuse",
        "memory",
        "Let a later buffer reuse the memory of one that is no longer needed.",
    ),
    _switch(
        "memory_planning",
        "memory_planning",
        "memory",
        "Place all buffers in one pool that is planned ahead of time.",
    ),
    _switch(
        "layout_optimization",
        "layout_optimization",
        "layout",
        "Store images channels-last where that makes convolutions faster.",
    ),
    _switch(
        "comprehensive_padding",
        "comprehensive_padding",
        "layout",
        "Pad rows, so that they start at aligned addresses.",
        targets=_GPU,
    ),
)
"""All switches, those of one topic together."""

_BY_NAME = {switch.name: switch for switch in SWITCHES}


def settings(chosen: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of switches: arguments of `torch.compile`, and Inductor's settings by key.

    Raises:
        OptionError: there is no such switch, or the value is invalid.
    """
    arguments: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for name, value in chosen.items():
        switch = _BY_NAME.get(name)
        if switch is None:
            raise OptionError(
                f"There is no switch {name!r}: use one of {', '.join(_BY_NAME)}, "
                "or pass any setting of torch._inductor.config in options={...}."
            )
        _check(switch, value)
        (arguments if switch.topic == "compilation" else options)[switch.key] = value
    return arguments, options


def _check(switch: Switch, value: Any) -> None:
    is_count = any(type(offered) is int for offered in switch.values)
    is_offered = any(value == v and type(value) is type(v) for v in switch.values)
    if not is_offered and not (is_count and type(value) is int and value >= 0):
        offered = ", ".join(repr(v) for v in switch.values)
        more = " or another integer" if is_count else ""
        raise OptionError(f"{switch.name} is one of {offered}{more}, not {value!r}.")

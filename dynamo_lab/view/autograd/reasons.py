"""The partitioner's reasons, and what AOTAutograd did with mutations and views, in sentences."""

from collections.abc import Iterator

from dynamo_lab.model.autograd import (
    InputMutation,
    OutputAlias,
    Partition,
    Recomputed,
    SavedValue,
)
from dynamo_lab.view.core.words import plural, size

_KEPT = {
    "not in recomputable allowlist": "`{operator}` is not among the operators that are cheap "
    "enough to run twice",
    "materialized in backward": "the backward reads it from memory as a whole, so that running "
    "`{operator}` again would save nothing",
    "reduction op": "a reduction: its result is at most a quarter of what it reads, so cheap "
    "to keep",
    "random op": "random: run again, it would draw other numbers",
    "compute intensive op": "`{operator}` takes too much arithmetic to run twice",
    "non-builtin op": "`{operator}` is not one of PyTorch's own operators, so its cost is unknown",
    "too far from backward": "too many operators away from where the backward reads it",
    "marked MUST_SAVE": "the checkpoint policy says to keep it",
    "forward RNG seed": "the seed of the random numbers, which the backward draws again",
}
"""Why a value may not be computed again, by PyTorch's own words.

Source: torch/_functorch/partitioners.py, `should_ban_recomputation` in `solve_min_cut`.
"""

_UNNAMED = (
    "a heuristic keeps it: it is used far apart, or ends a long chain of cheap operators, "
    "which would otherwise all run again"
)
_CHEAPEST = "the cheapest place to cut: what the backward reads beyond it is computed from it"
_READ = "the backward reads it itself, and to compute it again would cost more than to keep it"
_ROLES = {
    "parameter": "a parameter or buffer: it lives between calls anyway",
    "input": "an input: the caller holds it anyway",
    "symbol": "a size that is known only at run time",
    "state": "an object that is no tensor",
}


def kept(value: SavedValue, operator: str, shares: str = "", *, is_read: bool = False) -> str:
    """Why a value is kept instead of computed again; `shares` names another in the same memory.

    `is_read` says that the backward reads it for more than to compute forward operators again.
    """
    why = _kept(value, operator, is_read)
    if shares:
        return f"{why}; it lies in the memory of `{shares}`"
    if not value.copied and value.bytes is not None and (value.held or 0) > value.bytes:
        return f"{why}; it is a view, and keeps alive all that it is a view of"
    return why


def _kept(value: SavedValue, operator: str, is_read: bool) -> str:
    if value.copied:
        return (
            f"a copy of the {value.role} in another memory layout, which Inductor chose for the "
            "convolutions that read it (`config.layout_optimization`): the backward reads that copy"
        )
    if value.role in _ROLES:
        return _ROLES[value.role]
    reason = value.reason.removeprefix("cannot recompute").removeprefix(": ")
    if value.reason.startswith("cannot recompute"):
        known = _KEPT.get(reason, reason or _UNNAMED).format(operator=operator)
    elif value.weight is not None:
        known = _READ if is_read else _CHEAPEST
    else:
        known = "the backward reads it"
    return f"an output of the forward, too; {known}" if value.role == "output" else known


def computed_again(item: Recomputed) -> str:
    """Why an operator runs again instead of having its result kept."""
    if item.reason.startswith("must recompute"):
        return "`torch.utils.checkpoint` asks for it"
    if item.is_free:
        return "computes nothing: it looks at memory in another way, or takes a part of a tuple"
    if item.reason == "cannot save: non-tensor output":
        return "has several results; what the backward reads of them comes from running it again"
    if item.reason.startswith("cannot save"):
        return item.reason.partition(": ")[2] or item.reason
    return "cheap to run, and what it reads is kept or computed again anyway"


def mutation(item: InputMutation, name: str) -> str:
    """What became of a write to an input."""
    what = f"`{name}`" if name else f"input {item.input}"
    if item.change == "metadata":
        return f"The program changes the shape or strides of {what}, which is done after the graph."
    if item.change == "storage":
        return f"The program gives {what} another storage, which is done after the graph."
    if item.in_graph:
        return (
            f"The program writes to {what} in place: the graph computes the new value apart, "
            "and ends with one copy into it."
        )
    return (
        f"The program writes to {what} in place: the graph returns the new value, "
        "and the code around it copies it back, where autograd sees the write."
    )


_ALIASES = {
    "alias_of_input": "Output {output} is a view of {base}: it is made from the input after the "
    "graph ran, so that it shares memory as in eager mode.",
    "is_input": "Output {output} is {base} itself, which is handed back.",
    "alias_of_intermediate": "Output {output} is a view of a value inside the graph: the graph "
    "returns that value, and the view is made from it afterwards.",
    "alias_of_intermediate_save_as_output": "Output {output} is a view of a value inside the "
    "graph: the graph returns that value too, and the view is made from it afterwards.",
    "alias_of_intermediate_base_is_user_output": "Output {output} is a view of another output: "
    "it is made from that one afterwards.",
    "unsafe_view_alias": "Output {output} comes from a view whose base nobody else sees, so it "
    "is returned as it is.",
    "custom_function_view": "Output {output} is a view that a custom autograd function made, "
    "and is returned as it is.",
}
"""Source: torch/_functorch/_aot_autograd/schemas.py, `OutputType`."""


def alias(item: OutputAlias, name: str) -> str:
    """What became of an output that shares memory."""
    base = f"`{name}`" if name else "an input"
    known = _ALIASES.get(item.kind)
    if known is None:
        return f"Output {item.output + 1} shares memory ({item.kind})."
    return known.format(output=item.output + 1, base=base)


def sentences(part: Partition, symbolic: int = 0) -> Iterator[str]:
    """What was kept and what runs again, in numbers; `symbolic` values have sizes that vary."""
    if part.method == "none":
        yield "No gradient was asked for, so there is a forward alone, and nothing is kept."
        return
    alive = sum(v.role in ("parameter", "input") and not v.copied for v in part.saved)
    kept = [v for v in part.saved if v.copied or v.role in ("activation", "output", "state")]
    living = plural(alive, "parameter or input", "parameters and inputs")
    living += " that lives anyway" if alive == 1 else " that live anyway"
    if kept:
        held = size(part.activation_bytes)
        besides = f", besides {living}" if alive else ""
        yield f"The forward keeps {plural(len(kept), 'value')} for the backward, {held}{besides}."
    elif alive:
        yield f"The forward keeps nothing new for the backward, which reads {living}."
    else:
        yield "The forward keeps nothing for the backward."
    yield from _recomputation(part)
    if symbolic:
        sizes = "size that varies: its" if symbolic == 1 else "sizes that vary: their"
        yield f"{plural(symbolic, 'of them has a', 'of them have')} {sizes} bytes are of this run."


def _recomputation(part: Partition) -> Iterator[str]:
    again = sum(not item.is_free for item in part.recomputed)
    all_kept = part.unpartitioned_bytes
    if part.method == "default":
        yield "The default partitioner was used, which keeps what the backward reads."
    runs = f"{plural(again, 'operator')} {'runs' if again == 1 else 'run'} again in the backward"
    if again and all_kept is not None and all_kept > part.activation_bytes:
        yield (
            f"{runs}: to keep all that it reads would take {size(all_kept)}, "
            f"{size(all_kept - part.activation_bytes)} more."
        )
    elif again:
        yield f"{runs}."
    if part.budget < 1:
        yield f"The activation memory budget was {part.budget:g}."

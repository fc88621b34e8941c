"""The partitioner's reasons, and what AOTAutograd did with mutations and views, in sentences."""

from collections.abc import Iterator

from dynamo_lab.model.autograd import (
    InputMutation,
    OutputAlias,
    Partition,
    Recomputed,
    SavedValue,
    kept_bytes,
)
from dynamo_lab.view.core.words import plural, size

_SAVED = {
    "not in recomputable allowlist": "`{operator}` is not among the operators that are cheap "
    "enough to run twice",
    "materialized in backward": "the backward reads it from memory as a whole, so that running "
    "`{operator}` again would save nothing",
    "reduction op": "its result is less than a quarter of what `{operator}` reads, so it is cheap "
    "to save",
    "random op": "random: a second run would draw other numbers",
    "compute intensive op": "`{operator}` needs too much arithmetic to run twice",
    "non-builtin op": "`{operator}` is not one of PyTorch's own operators, so its cost is unknown",
    "too far from backward": "too many operators away from where the backward reads it",
    "marked MUST_SAVE": "the checkpoint policy says to save it",
    "forward RNG seed": "the seed of the random numbers, with which the backward draws them again",
}
"""Why a value may not be recomputed, by PyTorch's own reason.

Source: torch/_functorch/partitioners.py, `should_ban_recomputation` in `solve_min_cut`.
"""

_UNNAMED = (
    "a heuristic saves it: its uses are far apart, or it ends a long chain of cheap "
    "operators that would otherwise all run again"
)
_CHEAPEST = "the cheapest place to cut: the backward recomputes from it what it reads beyond it"
_READ = "the backward reads it itself, and recomputing it would cost more than saving it"
_ROLES = {
    "parameter": "a parameter or buffer: it lives between calls anyway",
    "input": "an input: it exists before the forward, and is not freed before the backward",
    "symbol": "a size that is known only at run time",
    "state": "an object that is not a tensor",
}


def why_saved(value: SavedValue, operator: str, shares: str = "", *, is_read: bool = False) -> str:
    """Why a value is saved instead of recomputed; `shares` names another in the same memory.

    `is_read` says that the backward reads it for more than recomputing forward operators.
    """
    why = _kept(value, operator, is_read)
    if value.donated:
        why = f"donated, so the backward may overwrite it: {why}"
    if shares:
        return f"{why}; it shares the memory of `{shares}`"
    if not value.copied and value.bytes is not None and (value.held or 0) > value.bytes:
        return f"{why}; it is a view, and keeps its whole base alive"
    return why


def _kept(value: SavedValue, operator: str, is_read: bool) -> str:
    if value.copied:
        return (
            f"a copy of the {value.role} in another memory layout, which Inductor chose for "
            "the convolutions that read it (`config.layout_optimization`): the backward reads it"
        )
    if value.role in _ROLES:
        return _ROLES[value.role]
    reason = value.reason.removeprefix("cannot recompute").removeprefix(": ")
    if value.reason.startswith("cannot recompute"):
        known = _SAVED.get(reason, reason or _UNNAMED).format(operator=operator)
    elif value.weight is not None:
        known = _READ if is_read else _CHEAPEST
    else:
        known = "the backward reads it"
    return f"also an output of the forward; {known}" if value.role == "output" else known


def computed_again(item: Recomputed) -> str:
    """Why an operator is recomputed instead of having its result saved."""
    if item.reason.startswith("must recompute"):
        return "`torch.utils.checkpoint` asks for it"
    if item.is_free:
        return "computes nothing: it is a view, or takes one element of a tuple"
    if item.reason == "cannot save: non-tensor output":
        return "has several results; the backward runs it again to get those that it reads"
    if item.reason.startswith("cannot save"):
        return item.reason.partition(": ")[2] or item.reason
    return "cheap to run, and what it reads is saved or recomputed anyway"


def mutation(item: InputMutation, name: str, *, in_place: bool = False) -> str:
    """How a write to an input was handled; its `name` is empty where several became one.

    `in_place` says that Inductor took AOTAutograd's copy out of the graph again.
    """
    what = f"`{name}`" if name else "an input"
    if item.change == "metadata":
        return f"The program changes the shape or strides of {what}; this is done after the graph."
    if item.change == "storage":
        return f"The program gives {what} another storage; this is done after the graph."
    if in_place:
        return (
            f"The program writes to {what} in place, and so does the generated code: AOTAutograd "
            "made it a copy at the end of the graph, and Inductor took that out again."
        )
    if item.in_graph:
        return (
            f"The program writes to {what} in place: the graph computes the new value separately, "
            "and ends with one copy into it."
        )
    return (
        f"The program writes to {what} in place: the graph returns the new value, "
        "and the code around it copies it back, where autograd sees the write."
    )


_ALIASES = {
    "alias_of_input": "Output {output} is a view of {base}: it is rebuilt from the input after the "
    "graph has run, so that it shares memory as in eager mode.",
    "is_input": "Output {output} is {base} itself, which is returned as it is.",
    "alias_of_intermediate": "Output {output} is a view of a value inside the graph: the graph "
    "returns that value, and the view is rebuilt from it afterwards.",
    "alias_of_intermediate_save_as_output": "Output {output} is a view of a value inside the "
    "graph: the graph returns that value too, and the view is rebuilt from it afterwards.",
    "alias_of_intermediate_base_is_user_output": "Output {output} is a view of another output: "
    "it is rebuilt from that one afterwards.",
    "unsafe_view_alias": "Output {output} comes from a view whose base nothing else uses, so it "
    "is returned as it is.",
    "custom_function_view": "Output {output} is a view that a custom autograd function made, "
    "and is returned as it is.",
}
"""Source: torch/_functorch/_aot_autograd/schemas.py, `OutputType`."""


def alias(item: OutputAlias, name: str) -> str:
    """How an output that shares memory was handled."""
    base = f"`{name}`" if name else "an input"
    known = _ALIASES.get(item.kind)
    if known is None:
        return f"Output {item.output + 1} shares memory ({item.kind})."
    return known.format(output=item.output + 1, base=base)


def sentences(part: Partition, symbolic: int = 0) -> Iterator[str]:
    """What was saved and what is recomputed, in numbers; `symbolic` values have dynamic sizes."""
    if part.method == "none":
        yield "No gradient was asked for, so there is only a forward, and nothing is saved."
        return
    alive = sum(v.role in ("parameter", "input") and not v.copied for v in part.saved)
    saved = [v for v in part.saved if v.copied or v.role in ("activation", "output", "state")]
    living = plural(alive, "parameter or input", "parameters and inputs")
    living += " that exists already" if alive == 1 else " that exist already"
    if saved:
        held = size(part.activation_bytes)
        besides = f", besides {living}" if alive else ""
        yield f"The forward saves {plural(len(saved), 'value')} for the backward, {held}{besides}."
    elif alive:
        yield f"The forward saves nothing new for the backward, which reads {living}."
    else:
        yield "The forward saves nothing for the backward."
    yield from _donations(part)
    yield from _recomputation(part)
    if symbolic:
        sizes = "dynamic size: its" if symbolic == 1 else "dynamic sizes: their"
        yield f"{plural(symbolic, 'of them has a', 'of them have')} {sizes} bytes are of this run."


def _donations(part: Partition) -> Iterator[str]:
    """How much the backward may overwrite, and what that rules out."""
    donated = tuple(value for value in part.saved if value.donated)
    if donated:
        held = size(kept_bytes(donated))
        values = f"{plural(len(donated), 'of them is', 'of them are')} donated, {held}"
        yield (
            f"{values}: the backward may overwrite {'it' if len(donated) == 1 else 'them'}. "
            "Compiled so, it cannot run with `retain_graph` or `create_graph`."
        )


def all_read(part: Partition) -> int | None:
    """What the forward would save if nothing ran again.

    PyTorch counts what the backward reads before Inductor copies inputs for it, to lie otherwise.
    """
    copies = tuple(value for value in part.saved if value.copied)
    known = part.unpartitioned_bytes
    return None if known is None else known + kept_bytes(copies)


def _recomputation(part: Partition) -> Iterator[str]:
    again = sum(not item.is_free for item in part.recomputed)
    all_kept = all_read(part)
    if part.method == "default":
        yield "The default partitioner was used, which saves what the backward reads."
    free = len(part.recomputed) - again
    views = f", and {plural(free, 'that costs nothing', 'that cost nothing')}," if free else ""
    runs = (
        f"{plural(again, 'operator')}{views} {'runs' if again + free == 1 else 'run'} again in the "
        "backward"
    )
    if again and all_kept is not None and all_kept > part.activation_bytes:
        yield (
            f"{runs}: saving all that it reads would take {size(all_kept)}, "
            f"{size(all_kept - part.activation_bytes)} more."
        )
    elif again:
        yield f"{runs}."
    if part.budget < 1:
        yield f"The activation memory budget was {part.budget:g}."

"""AOTAutograd's result for a graph: a forward, a backward, and what passes between them."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Id, Plain, Ref

Role = Literal["parameter", "input", "output", "activation", "symbol", "state"]
"""What else a saved value is: a parameter and an input live in any case, and so does an output
of the forward while the caller holds it. `state` is a generator's or another opaque object.
"""

Change = Literal["data", "metadata", "storage"]
"""What a program changes of an input: its elements, its shape or strides, its whole storage."""


class SavedValue(Struct, frozen=True, kw_only=True):
    """A value that the forward saves for the backward.

    `forward_node` makes it in the forward graph, `backward_node` is where the backward graph gets
    it, both node indices. `bytes` is the size of its elements, `held` the whole storage that it
    keeps alive, which is more for a view; symbolic sizes have their values of the recorded run, and
    both are None if a size was not known. Values with the same `storage` share memory; one that
    is `copied` is a parameter or an input of which the compiled forward saves a copy, in another
    memory layout that Inductor chose. `weight` is the min-cut's price for saving it, `reason`
    PyTorch's for not recomputing it; both are empty if the partitioner gave none. One that is
    `donated` may be overwritten by the backward, which alone has it; None if that is not known.
    """

    name: str
    forward_node: Annotated[int, Ref("graphs[Partition.forward].nodes")]
    backward_node: Annotated[int | None, Ref("graphs[Partition.backward].nodes")]
    role: Role
    bytes: int | None
    storage: int
    held: int | None = None
    copied: bool = False
    weight: float | None = None
    reason: str = ""
    donated: bool | None = None


class Recomputed(Struct, frozen=True, kw_only=True):
    """A forward operator that the backward recomputes instead of saving its result.

    `is_free` says that it computes nothing: a view, a part of a tuple. `bytes`, `weight` and
    `reason` are as for SavedValue: the cost of saving it.
    """

    name: str
    forward_node: Annotated[int, Ref("graphs[Partition.forward].nodes")]
    backward_node: Annotated[int, Ref("graphs[Partition.backward].nodes")]
    bytes: int | None
    is_free: bool = False
    weight: float | None = None
    reason: str = ""


class Differentiated(Struct, frozen=True, kw_only=True):
    """An operator of the joint graph with its gradient: node indices of both.

    `operator` is what the program called, before it was decomposed ("aten.native_layer_norm").
    Gradients that only add others belong to no operator and have no `forward`.
    """

    operator: str
    forward: Annotated[tuple[int, ...], Ref("graphs[Partition.joint].nodes")]
    backward: Annotated[tuple[int, ...], Ref("graphs[Partition.joint].nodes")]


class InputMutation(Struct, frozen=True, kw_only=True):
    """An input that the program changes in place.

    `input` counts the graph's inputs; `in_graph` says whether the graph writes to it, or the code
    around the graph copies the new value back.
    """

    input: int
    change: Change
    in_graph: bool
    requires_grad: bool = False


class OutputAlias(Struct, frozen=True, kw_only=True):
    """An output that shares memory with an input or an intermediate, and is recreated from it.

    `kind` is the name of PyTorch's `OutputType`; `base` counts inputs, or intermediates.
    """

    output: int
    kind: str
    base: int | None = None


class Partition(Struct, frozen=True, kw_only=True):
    """One graph as AOTAutograd partitioned it. Without a gradient, there is only a forward.

    `method` says how: "min-cut", "default" (save what the backward reads), "none" (no gradient).
    `budget` is the share of activation memory that was allowed (1: the fastest). `cut` is
    the min-cut's whole price, `solved` how often it was solved. `unpartitioned_bytes` is the size
    of every activation that the joint graph's backward reads.

    Source: torch/_functorch/partitioners.py, `min_cut_rematerialization_partition`.
    """

    id: Id
    compile_id: str
    frame: Annotated[int | None, Ref("frames")] = None
    method: Literal["min-cut", "default", "none"] = "none"
    joint: Annotated[int | None, Ref("graphs")] = None
    forward: Annotated[int | None, Ref("graphs")] = None
    backward: Annotated[int | None, Ref("graphs")] = None
    budget: float = 1.0
    cut: float | None = None
    solved: int = 0
    saved: tuple[SavedValue, ...] = ()
    recomputed: tuple[Recomputed, ...] = ()
    unpartitioned_bytes: int | None = None
    differentiated: tuple[Differentiated, ...] = ()
    mutations: tuple[InputMutation, ...] = ()
    aliases: tuple[OutputAlias, ...] = ()

    @property
    def activation_bytes(self) -> int:
        """What is saved beyond parameters and inputs, each storage once."""
        return kept_bytes(self.saved)


class Repartition(Struct, frozen=True, kw_only=True):
    """What another budget would save and recompute, from the partitioner afterwards.

    `saved` names nodes of the joint graph, of which `inputs` are parameters and inputs of the
    program or views of them; `operators` counts the recomputed ones, without free
    ones, and `flops` the floating-point operations of their matrix products, convolutions and
    attention. Those of `uncounted` more operators are not known.
    """

    budget: float
    saved: tuple[str, ...]
    activation_bytes: int
    operators: Annotated[int, Plain("a count")]
    flops: int
    uncounted: int = 0
    inputs: int = 0


def kept_bytes(saved: tuple[SavedValue, ...]) -> int:
    """The memory of values that would not live otherwise, each storage once."""
    alive = {value.storage for value in saved if value.role in ("parameter", "input")}
    sizes: dict[tuple[int, bool], int] = {}
    for value in saved:
        if value.copied or value.storage not in alive:
            place = value.storage, value.copied
            sizes[place] = max(sizes.get(place, 0), held_bytes(value))
    return sum(sizes.values())


def held_bytes(value: SavedValue) -> int:
    """The memory that a saved value keeps alive: its whole storage, or its copy."""
    if value.copied or value.held is None:
        return value.bytes or 0
    return value.held

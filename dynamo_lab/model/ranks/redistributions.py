"""DTensors that changed their placement: who wanted it, and which collectives came of it."""

from msgspec import Struct


class Redistribution(Struct, frozen=True, kw_only=True):
    """A DTensor of `shape`, whole, on a mesh of ranks, that went from one placement to another.

    `before` and `after` have a placement for each dimension of the mesh: "S(0)", "R", "P(sum)".
    `dimensions` are the mesh's names, empty where it has none. `operator` is what wanted it, empty
    where the program asked itself. While the compiler traced, `nodes` are the names of the nodes
    that came of it in the graph of `compile_id`; else `started` and `ended` are when it happened,
    in seconds since the epoch; `ended` is 0 of one that had not ended, as a rank waits in it.
    """

    mesh: tuple[int, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    shape: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    operator: str = ""
    compile_id: str = ""
    nodes: tuple[str, ...] = ()
    started: float = 0.0
    ended: float = 0.0

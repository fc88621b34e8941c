"""Why a DTensor changed its placement, for the collectives that came of it."""

from bisect import bisect_right
from collections.abc import Sequence

from dynamo_lab.model.ranks.ranks import Call
from dynamo_lab.model.ranks.redistributions import Redistribution
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.ranks.nodes import GraphCall


class Placements:
    """The redistributions of a rank, by the node that came of each, and by time in eager code."""

    def __init__(self, known: Sequence[Redistribution]) -> None:
        self._of_node: dict[tuple[str, str], set[str]] = {}
        for one in known:
            for node in one.nodes:
                self._of_node.setdefault((one.compile_id, node), set()).add(words(one))
        self._eager = sorted((one for one in known if one.started), key=lambda one: one.started)

    def why(self, call: Call, node: GraphCall | None) -> str:
        """What a collective did to a DTensor, and who wanted that; empty where it is not known.

        Parts of a graph may have nodes of one name: where those differ, nothing is said.
        """
        if node is not None:
            found = self._of_node.get((node.graph.compile_id, node.node.name), set[str]())
            return next(iter(found)) if len(found) == 1 else ""
        if call.is_compiled:
            return ""
        at = bisect_right(self._eager, call.started, key=lambda one: one.started) - 1
        if at < 0:
            return ""
        found = self._eager[at]
        return words(found) if call.started <= found.ended or not found.ended else ""


def words(one: Redistribution) -> str:
    """'a DTensor [8, 64] goes from P(sum) to R on the mesh tp, which `addmm` wants'."""
    mesh = ", ".join(one.dimensions) or " x ".join(map(str, one.mesh))
    before, after = (", ".join(placements) for placements in (one.before, one.after))
    wanted = f", which `{operator_name(one.operator)}` wants" if one.operator else ""
    shape = ", ".join(one.shape)
    return f"a DTensor [{shape}] goes from {before} to {after} on the mesh {mesh}{wanted}"

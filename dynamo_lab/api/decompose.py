"""Decompose one operator: `decompose(op, *args, to="prims")`, without compiling anything."""

from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING, Any

from dynamo_lab.view.decompositions.leaves import Leaves
from dynamo_lab.view.decompositions.trees import Line, TreesView, refuse_unknown_set, trees, walk

if TYPE_CHECKING:
    from dynamo_lab.capture.decompositions.decompose import Trace
    from dynamo_lab.model.decompositions import Decompositions, Rule, Target


def decompose(op: Any, *args: Any, to: Target = "inductor", **kwargs: Any) -> Decomposition:
    """What an operator becomes on these arguments, and by which rules, down to a set of operators.

    It is really traced, on fake tensors of the arguments' shapes, types and devices: nothing is
    computed, and a device need not exist. Print it, or leave it as a cell's last expression.

    Args:
        op: `torch.ops.aten.gelu.default`, `torch.ops.aten.gelu`, "aten.gelu", or a function such
            as `torch.nn.functional.gelu`.
        *args: Its arguments; tensors may be real, fake or on the device "meta".
        to: The operator set to decompose to: "core_aten", "inductor" or "prims".
        **kwargs: Its keyword arguments.

    Raises:
        OptionError: there is no such set.
        DecompositionError: there is no such operator, or it cannot be traced on these arguments.
    """
    refuse_unknown_set(to)
    from dynamo_lab.capture.decompositions.call_table import CallTable
    from dynamo_lab.capture.decompositions.decompose import trace
    from dynamo_lab.capture.decompositions.rulebook import Rulebook
    from dynamo_lab.capture.graphs.operators import resolve

    table = CallTable()
    call = resolve(op, args, kwargs)
    made = trace(call, Rulebook(to), table)
    return Decomposition(to, table.freeze(), table.call(call), made)


class Decomposition:
    """What one operator became. `facts` holds the tree, `to` the set it is decomposed to."""

    def __init__(self, to: Target, facts: Decompositions, call: int, trace: Trace) -> None:
        self.to = to
        self.facts = facts
        self._call = call
        self._trace = trace

    @property
    def operator(self) -> str:
        """The operator that was decomposed: "aten.gelu.default"."""
        return self.facts.calls[self._call].operator

    @property
    def leaves(self) -> tuple[str, ...]:
        """The operators that it decomposes to, in the order in which they run."""
        from dynamo_lab.capture.graphs.calls import operator_text

        return tuple(operator_text(leaf.op) for leaf in self._trace.leaves)

    @property
    def counts(self) -> dict[str, int]:
        """How often each of these operators occurs."""
        return dict(Counter(self.leaves))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that fired, each with its file, line and text."""
        return self.facts.rules

    @functools.cached_property
    def graph(self) -> Any:
        """These operators as an `fx.GraphModule`, which takes the tensors of the call in order."""
        from dynamo_lab.capture.decompositions.leaves import graph_of

        return graph_of(self._trace, "Decomposition")

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Run the operators on real arguments, of the shapes it was decomposed for."""
        from dynamo_lab.capture.decompositions.leaves import tensors_of

        return self.graph(*tensors_of(args, kwargs))

    def tree(self) -> list[Line]:
        """The tree, one line per operator, each followed by what it became."""
        return list(walk(self._view, self._call, self._at))

    @functools.cached_property
    def _view(self) -> TreesView:
        return trees(self.facts, Leaves(self.facts))

    @property
    def _at(self) -> int:
        from dynamo_lab.model.decompositions import TARGETS

        return TARGETS.index(self.to)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.decompositions.decompositions import tree_text

        return tree_text(self._view, self._call, self._at)

    def __repr__(self) -> str:
        return f"<Decomposition of {self.operator} to {self.to}: {len(self.leaves)} operators>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.decompositions import tree_page

        html = tree_page(self._view, self._call, self._at)
        return {"text/plain": str(self), "text/html": html}

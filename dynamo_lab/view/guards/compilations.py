"""What is known of each compilation, by its id: a recording has one list for all of them."""

from collections import defaultdict

from dynamo_lab.model.guards.symbols import ShapeFact, Symbol
from dynamo_lab.model.recording import Recording


class Compilations:
    """The graphs, symbols, assumptions and kernels of each compilation.

    Of several graphs it has the one captured last: an earlier attempt's was discarded.
    """

    def __init__(self, recording: Recording) -> None:
        self.graphs = {graph.compile_id: graph for graph in recording.captured_graphs()}
        self.symbols = defaultdict[str, list[Symbol]](list)
        for symbol in recording.symbols:
            self.symbols[symbol.compile_id].append(symbol)
        self.shape_facts = defaultdict[str, list[ShapeFact]](list)
        for fact in recording.shape_facts:
            self.shape_facts[fact.compile_id].append(fact)
        self.code = defaultdict[str, dict[str, str]](dict)
        for kernel in recording.kernels:
            if kernel.graph is not None:
                of = recording.graphs[kernel.graph].compile_id
                self.code[of][kernel.name] = kernel.code


def recompilations(recording: Recording) -> int:
    """How many times guards led to new code; a call at the limit runs eagerly instead."""
    return sum(not item.limit_hit for item in recording.recompiles)

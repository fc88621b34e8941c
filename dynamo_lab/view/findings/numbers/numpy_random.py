"""NumPy's random numbers inside a graph: PyTorch draws them, whatever NumPy was seeded with.

Dynamo reads NumPy as `torch._numpy`, whose `np.random` draws from PyTorch's generator
(torch/_numpy/random.py). Its `seed` seeds that generator and is no operator: AOTAutograd runs it as
it traces, and no call does. What breaks the graph, as a `Generator` does, draws from NumPy as ever.
"""

from collections.abc import Iterator

from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.origins import origin_of
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found

_WRAPPED = "torch._dynamo.utils.wrapped_"
_SEED = "seed"
_DRAWS = frozenset(
    {"choice", "normal", "rand", "randint", "randn", "random", "random_sample", "sample"}
    | {"shuffle", "uniform"}
)
_TRACED = frozenset({"joint", "forward", "backward", "post_grad"})
_SETTING = "torch._dynamo.config.use_numpy_random_stream = True"

_Nodes = list[tuple[int, int]]


def find(facts: Facts) -> Iterator[Found]:
    """A finding for all draws, and one for all seeds; nothing of a draw outside the graphs."""
    calls = _calls(facts.recording)
    draws = {name: nodes for name, nodes in calls.items() if name in _DRAWS}
    if draws:
        yield _drawn(draws, facts)
    if _SEED in calls:
        yield _seeded(calls[_SEED], facts)


def _calls(recording: Recording) -> dict[str, _Nodes]:
    """The nodes of each function of `np.random` in Dynamo's graphs, by its name."""
    found = dict[str, _Nodes]()
    for graph in recording.graphs:
        if graph.stage != "dynamo":
            continue
        table = graph.nodes
        for node, target in enumerate(table.target):
            name = table.strings[target].removeprefix(_WRAPPED)
            is_wrapped = table.strings[target].startswith(_WRAPPED)
            if is_wrapped and (name in _DRAWS or name == _SEED):
                found.setdefault(name, []).append((graph.id, node))
    return found


def _drawn(draws: dict[str, _Nodes], facts: Facts) -> Found:
    names = listed([f"`np.random.{name}`" for name in draws], last="and")
    verb = "is" if len(draws) == 1 else "are"
    return _found(
        facts,
        [node for nodes in draws.values() for node in nodes],
        "numpy-draws",
        f"{names} {verb} part of the graph: PyTorch's generator draws the numbers, not NumPy's. "
        "They are others than eager's, and `np.random.seed` before the call does not repeat "
        "them: `torch.manual_seed` does.",
        "Draw before the call and pass the numbers. Or let NumPy draw them: then the line breaks "
        "the graph.",
        _SETTING,
    )


def _seeded(nodes: _Nodes, facts: Facts) -> Found:
    traced = any(_is_traced(facts.recording.graphs[graph], facts.recording) for graph, _ in nodes)
    does = (
        "PyTorch's generator was seeded while it was compiled, and no call seeds any"
        if traced
        else "each call seeds PyTorch's generator, and NumPy's never"
    )
    return _found(
        facts,
        nodes,
        "numpy-seed",
        f"`np.random.seed` is part of the graph: {does}.",
        "Seed before the call: `torch.manual_seed` for what the graph draws, `np.random.seed` for "
        "what NumPy draws.",
    )


def _is_traced(graph: Graph, recording: Recording) -> bool:
    """Whether AOTAutograd traced what Dynamo captured."""
    later = (one for one in recording.graphs if one.stage in _TRACED)
    return any(one.compile_id == graph.compile_id for one in later)


def _found(
    facts: Facts, nodes: _Nodes, rule: str, sentence: str, remedy: str, code: str = ""
) -> Found:
    origin = origin_of(nodes, facts.recording, facts.places)
    graph = min(graph for graph, _ in nodes)
    return Found(
        Finding(
            rule=rule,
            question="numbers",
            # other numbers are no fault of a draw, but of one that is to repeat
            level="problem" if rule == "numpy-seed" else "note",
            sentence=sentence,
            where=origin.where,
            entity=origin.entity,
            evidence=(
                Evidence(text="it is a node of the graph", tab="graphs", entity=f"graph:{graph}"),
            ),
            grade="fill in",
            remedy=remedy,
            code=code,
            cost=1.0,
        )
    )

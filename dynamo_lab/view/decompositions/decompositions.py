"""What the operators of a run became: how many there are in each operator set."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from dynamo_lab.model.decompositions import TARGETS, End, Traced
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.work import is_view
from dynamo_lab.view.core.origins import where_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.decompositions.leaves import Leaves
from dynamo_lab.view.decompositions.trees import ENDS, SETS, TreesView, trees

_OUTSIDE: tuple[End, ...] = ("no rule", "raised")
"""Why a call remains although it is not in the set."""

_LIBRARY = "extern_kernels."
"""What Inductor calls by this name is a library's; all else that it calls is an operator."""

_WHOSE = {
    **dict.fromkeys(
        (_LIBRARY, "torch.ops.mkl.", "torch.ops.mkldnn.", "torch.ops.onednn."), "a library's kernel"
    ),
    "torch.ops.aten.": "PyTorch's own kernel",
}
"""By how the name of a kernel begins; an operator of another namespace may be anyone's."""


class TopView(Struct, frozen=True, kw_only=True):
    """A call of this program: `rule` fired in this run, -1 for none. `nodes` are (graph, node)."""

    call: int
    rule: int
    times: int
    where: str
    nodes: tuple[tuple[int, int], ...]


class OperatorView(Struct, frozen=True, kw_only=True):
    """An operator of this program, with `tops` of any shapes: how often, how many in each set."""

    operator: str
    times: int
    became: tuple[int, ...]
    rule: int
    tops: tuple[int, ...]


class CountView(Struct, frozen=True, kw_only=True):
    """How many operators there are at a level, and how many distinct ones."""

    title: str
    operators: int
    kinds: int


class StayView(Struct, frozen=True, kw_only=True):
    """An operator that remains outside the set, or that Inductor generates no code for."""

    operator: str
    times: int
    why: str
    kernels: tuple[int, ...] = ()


class DecompositionsView(Struct, frozen=True, kw_only=True):
    """The operators of a run. `sets` are (word, title); `empty` says why there are none."""

    sets: tuple[tuple[str, str], ...] = tuple(SETS.items())
    counts: tuple[CountView, ...] = ()
    operators: tuple[OperatorView, ...] = ()
    tops: tuple[TopView, ...] = ()
    extern: tuple[StayView, ...] = ()
    no_rule: tuple[StayView, ...] = ()
    trees: TreesView = TreesView()
    empty: str = ""


def build(recording: Recording, places: Places) -> DecompositionsView:
    """The operators that AOTAutograd traced, each distinct call once, and what they become."""
    facts = recording.decompositions
    if not facts.traced:
        return DecompositionsView(empty=_why_none(recording))
    leaves = Leaves(facts)
    tops = tuple(_tops(recording, places))
    return DecompositionsView(
        counts=tuple(_counts(recording, leaves)),
        operators=tuple(_operators(tops, leaves)),
        tops=tops,
        extern=tuple(_extern(recording, leaves)),
        no_rule=tuple(_no_rule(leaves)),
        trees=trees(facts, leaves),
    )


def _tops(recording: Recording, places: Places) -> Iterator[TopView]:
    """Each distinct call, in program order."""
    of_call: dict[int, list[Traced]] = {}
    for traced in recording.decompositions.traced:
        of_call.setdefault(traced.call, []).append(traced)
    for call, found in of_call.items():
        nodes = tuple((t.graph, node) for t in found if t.graph is not None for node in t.nodes)
        fired = [t.rule for t in found if t.rule is not None]
        yield TopView(
            call=call,
            rule=fired[0] if fired else -1,
            times=len(found),
            where=where_of(nodes, recording, places),
            nodes=nodes,
        )


def _operators(tops: Sequence[TopView], leaves: Leaves) -> list[OperatorView]:
    """The operators of the program, those that grow most first."""
    of_name: dict[str, list[int]] = {}
    for index, top in enumerate(tops):
        of_name.setdefault(leaves.facts.calls[top.call].operator, []).append(index)
    found: list[OperatorView] = []
    for name, indices in of_name.items():
        own = [tops[index] for index in indices]
        item = OperatorView(
            operator=name,
            times=sum(top.times for top in own),
            became=tuple(
                sum(top.times * leaves.of(top.call, to) for top in own) for to in range(len(SETS))
            ),
            rule=next((top.rule for top in own if top.rule >= 0), -1),
            tops=tuple(indices),
        )
        if any(item.became):  # `to` the same type computes nothing, in any set
            found.append(item)
    return sorted(found, key=_growth)


def _growth(item: OperatorView) -> tuple[int, int, bool]:
    """A sort key: growth in Inductor's set first, then in any, then whether a rule changed it."""
    inductor = item.became[TARGETS.index("inductor")]
    return item.times - inductor, item.times - max(item.became), item.rule < 0


def _counts(recording: Recording, leaves: Leaves) -> Iterator[CountView]:
    """Operators before and after, for each set."""
    captured = Counter(target for g in recording.captured_graphs() for target in _targets(g))
    yield _count("Dynamo's graphs", captured)
    calls = recording.decompositions.calls
    yield _count("ATen, as traced", Counter(calls[t.call].operator for t in leaves.facts.traced))
    for at, title in enumerate(SETS.values()):
        yield _count(title, leaves.operators(at))


def _count(title: str, operators: Counter[str]) -> CountView:
    return CountView(title=title, operators=operators.total(), kinds=len(operators))


def _targets(graph: Graph) -> Iterator[str]:
    table = graph.nodes
    for op, target in zip(table.op, table.target, strict=True):
        if table.strings[op].startswith("call_"):
            yield table.strings[target]


def _extern(recording: Recording, leaves: Leaves) -> Iterator[StayView]:
    """Calls of existing kernels, as recorded; then calls that would become one.

    What no graph has that Inductor lowered became something else before: `t_` is made functional.
    """
    without = leaves.staying("inductor", "extern")
    candidates = {
        (one.graph, one.node): len(one.candidates)
        for one in recording.autotunings
        if one.node is not None
    }
    kernels: dict[tuple[str, str], list[Kernel]] = {}
    for kernel in recording.kernels:
        if kernel.language == "extern":
            name = _of_kernel(kernel.name)
            why = "no lowering in Inductor" if name in without else _why_called(kernel, candidates)
            kernels.setdefault((name, why), []).append(kernel)
    for (name, why), own in kernels.items():
        yield StayView(
            operator=name,
            times=sum(kernel.calls for kernel in own),
            why=why,
            kernels=tuple(kernel.id for kernel in own),
        )
    called = {name for name, _ in kernels}
    lowered = {node.target for g in recording.graphs if g.stage == "post_grad" for node in g.nodes}
    for operator, count in without.items():
        if operator not in called and (operator in lowered or not lowered):
            is_seen = "a view: nothing is computed" if is_view(operator) else _UNSEEN
            why = f"no lowering in Inductor; {is_seen}"
            yield StayView(operator=operator, times=count, why=why)


_UNSEEN = "no kernel of it was recorded"


def _why_called(kernel: Kernel, candidates: Mapping[tuple[int | None, int], int]) -> str:
    """What an existing kernel is called for although its operator has a lowering.

    There was a choice only where candidates were timed: else the lowering itself makes the call.
    A kernel is all calls of one name in a graph, and each call has a choice of its own.
    """
    starts = (words for start, words in _WHOSE.items() if kernel.name.startswith(start))
    whose = next(starts, "an existing kernel")
    places = ((kernel.graph, node) for node in kernel.nodes)
    timed = sorted(candidates[place] for place in places if place in candidates)
    if not timed:
        return f"{whose}: its lowering calls it, and no other was timed"
    least, most = timed[0], timed[-1]
    among = f"{least} to {most} candidates" if least < most else plural(most, "candidate")
    if len(timed) < kernel.calls:
        return f"{whose}: {len(timed)} of {kernel.calls} calls chosen among {among}"
    return f"{whose}, chosen among {among}"


def _of_kernel(name: str) -> str:
    """The operator that an extern kernel is: "aten.addmm.default" for "extern_kernels.addmm"."""
    if name.startswith(_LIBRARY):
        return f"aten.{name.removeprefix(_LIBRARY)}.default"
    return name.removeprefix("torch.ops.")


def _no_rule(leaves: Leaves) -> Iterator[StayView]:
    """What remains although it is in neither core ATen nor prims."""
    for to in TARGETS:
        for end in _OUTSIDE:
            for operator, count in leaves.staying(to, end).items():
                yield StayView(operator=operator, times=count, why=f"not {SETS[to]}: {ENDS[end]}")


def _why_none(recording: Recording) -> str:
    if not recording.graphs:
        return "No graph was captured, so there is no operator to decompose."
    return (
        "This recording has no operators traced by AOTAutograd: the backend does not use it, "
        "or the recording is from a version that did not record them. `lab.decompose` decomposes "
        "a single operator."
    )

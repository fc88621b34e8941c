"""What is known of each compilation, by its id: a recording has one list for all of them."""

import re
from collections import defaultdict
from collections.abc import Iterable

from msgspec.structs import replace

from dynamo_lab.model.frames import Frame
from dynamo_lab.model.guards.guards import FailedGuard, Recompile
from dynamo_lab.model.guards.symbols import ShapeFact, Symbol
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.guards.dynamic import Dynamic, dynamic
from dynamo_lab.view.guards.failing import cause
from dynamo_lab.view.guards.order import in_order
from dynamo_lab.view.guards.own_names import in_own_names, with_parameters
from dynamo_lab.view.guards.parameters import symbols_of_parameters
from dynamo_lab.view.guards.readable import readable
from dynamo_lab.view.guards.wording import sizes


class Compilations:
    """The frame, graphs, symbols, guards, assumptions and kernels of each compilation.

    Of several graphs it has the one captured last: an earlier attempt's was discarded.
    """

    def __init__(self, recording: Recording) -> None:
        self.frames = {
            attempt.compile_id: frame.id for frame in recording.frames for attempt in frame.attempts
        }
        self._recording = recording
        self.recorded = recording.frames
        self.guards = in_order(recording.guards)
        self._without_code = without_code(recording)
        self._resumed = {frame.id for frame in recording.frames if frame.resumes is not None}
        self._outer = {frame.id: _outer(frame) for frame in recording.frames}
        self.graphs = {graph.compile_id: graph for graph in recording.captured_graphs()}
        self.symbols = defaultdict[str, list[Symbol]](list)
        for symbol in recording.symbols:
            self.symbols[symbol.compile_id].append(self._in_own_names(symbol))
        self.shape_facts = defaultdict[str, list[ShapeFact]](list)
        for fact in recording.shape_facts:
            self.shape_facts[fact.compile_id].append(fact)
        self._plain = defaultdict[str, set[str]](set)
        self._sizes = defaultdict[str, dict[str, int]](dict)
        self._guarded = defaultdict[str, set[str]](set)
        for guard in recording.guards:
            source = in_own_names(guard.source, recording.frames[guard.frame])
            self._guarded[guard.compile_id].add(readable(source))
            if guard.kind in _PLAIN and guard.source.endswith("[0]"):
                self._plain[guard.compile_id].add(readable(guard.source[:-3]))
            if guard.kind == "TENSOR_MATCH":
                frame = recording.frames[guard.frame]
                named = (in_own_names(one, frame) for one in guard.expressions)
                self._sizes[guard.compile_id] |= sizes(tuple(named))
        self.code = defaultdict[str, dict[str, str]](dict)
        for kernel in recording.kernels:
            if kernel.graph is not None:
                of = recording.graphs[kernel.graph].compile_id
                self.code[of][kernel.name] = kernel.code
        self._dynamic: dict[str, Dynamic] = {}
        self._dtypes = _first_dtypes(recording)

    def _in_own_names(self, symbol: Symbol) -> Symbol:
        index = self.frames.get(symbol.compile_id)
        if index is None:
            return symbol
        frame = self.recorded[index]
        sources = tuple(in_own_names(one, frame) for one in symbol.sources)
        return replace(symbol, sources=sources)

    def first_dtype(self, frame: int, subject: str) -> str:
        """The dtype that a value had when a frame was compiled first, as far as is told."""
        return self._dtypes.get((frame, subject), "")

    def has_code(self, compile_id: str) -> bool:
        """Whether code came of a compilation, as far as is known."""
        return compile_id not in self._without_code

    def dynamic(self, compile_id: str) -> Dynamic:
        """What a compilation leaves open: nothing, where no code came of it."""
        frame = self.frames.get(compile_id)
        is_resumed = frame in self._resumed
        if not self.has_code(compile_id):
            return Dynamic(is_resumed=is_resumed, has_code=False)
        if compile_id not in self._dynamic:
            facts, graph = self.shape_facts[compile_id], self.graphs.get(compile_id)
            self._dynamic[compile_id] = dynamic(
                self.symbols[compile_id],
                facts,
                graph,
                by_parameter=symbols_of_parameters(self._recording, facts, graph),
                is_resumed=is_resumed,
                plain=frozenset(self._plain[compile_id]),
                outer=frozenset() if frame is None else self._outer[frame],
            )
        return self._dynamic[compile_id]

    def is_guarded(self, subject: str, compile_id: str) -> bool:
        """Whether a compilation has a guard on a value; a tensor's is on its sizes and strides."""
        return _OF_TENSOR.split(subject)[0] in self._guarded[compile_id]

    def equal_sizes(self, failed: FailedGuard, subject: str, item: Recompile) -> tuple[str, ...]:
        """The sizes that were the same number as one that changed, and did not change with it.

        With dynamic sizes, equal ones share a symbol, and the code holds only while they are equal:
        "duck sizing" in torch/fx/experimental/symbolic_shapes.py. 0 and 1 never have one.
        """
        before, after = self._sizes[failed.compile_id], self._sizes[item.compile_id]
        size = before.get(subject, 0)
        same = (name for name, n in before.items() if n == size > 1 and after.get(name) == n)
        return tuple(name for name in same if name != subject)

    def leaving_open(self, subject: str, item: Recompile) -> tuple[str, ...]:
        """Which of the codes that did not fit leave a value open."""
        ids = dict.fromkeys(one.compile_id for one in item.failed)
        return tuple(one for one in ids if subject in self.dynamic(one).opened)


_PLAIN = ("EQUALS_MATCH", "CONSTANT_MATCH", "ID_MATCH", "BOOL_MATCH")
"""Guards of what is no tensor."""
_OF_TENSOR = re.compile(r"\.(?:shape|stride\(\)|storage_offset\(\))")


def _outer(frame: Frame) -> frozenset[str]:
    """The variables of functions around this one, by its bytecode: it makes no cells for them."""
    own = {one.argument for one in frame.bytecode if one.opname == "MAKE_CELL"}
    read = {one.argument for one in frame.bytecode if one.opname.endswith("_DEREF")}
    return frozenset(read - own)


def _first_dtypes(recording: Recording) -> dict[tuple[int, str], str]:
    found: dict[tuple[int, str], str] = {}
    for item in recording.recompiles:
        frame = recording.frames[item.frame]
        for failed in reversed(item.failed):  # the oldest code is tried last
            one = cause(with_parameters(failed, frame))
            if one.kind == "dtype":
                found.setdefault((item.frame, one.subject), one.was)
    return found


def without_code(recording: Recording) -> frozenset[str]:
    """The compilations that failed, or that Dynamo gave up: they ran eagerly, or raised."""
    return frozenset(
        attempt.compile_id
        for frame in recording.frames
        for attempt in frame.attempts
        if attempt.outcome in ("skipped", "failed")
    )


def at_the_limit(items: Iterable[Recompile]) -> str:
    """What becomes of calls at the limit of recompilations."""
    if any(item.raises for item in items):
        return "a call that matches no code raises FailOnRecompileLimitHit"
    return "calls that match no code run eagerly"


def limit_told(item: Recompile) -> str:
    """Which setting is the limit that was reached, in a sentence."""
    match item.limit:
        case "recompile_limit":
            return "`torch._dynamo.config.recompile_limit` is the limit."
        case "accumulated_recompile_limit":
            return (
                "`torch._dynamo.config.accumulated_recompile_limit` is the limit: it counts all "
                "that was compiled of the function, for whichever object."
            )
        case _:
            return (
                "`torch._dynamo.config.recompile_limit` is the limit, or, over all objects that "
                "the function was compiled for, `accumulated_recompile_limit`."
            )


def recompilations(recording: Recording) -> int:
    """How many times guards led to another compilation, which at the limit they do not."""
    return sum(not item.limit_hit for item in recording.recompiles)

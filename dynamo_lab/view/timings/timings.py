"""Where compile time went: phases as nested bars, and the totals of the largest."""

import math
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import pairwise

from msgspec import Struct

from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import Timing
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.timings import caches, costs, memory, warm_start
from dynamo_lab.view.timings.caches import CacheView
from dynamo_lab.view.timings.costs import CostTable
from dynamo_lab.view.timings.memory import CompileMemoryView
from dynamo_lab.view.timings.warm_start import WarmStartView


class PhaseView(Struct, frozen=True, array_like=True):
    """A bar: seconds from the recording's start, how deep it is nested, and its compilation."""

    name: str
    start: float
    seconds: float
    depth: int
    compile_id: str
    explanation: str = ""


class TimelineView(Struct, frozen=True, kw_only=True):
    """`totals` are (phase, seconds without those nested in it, share of all), largest first.

    They count each second of the wall clock once. `parallel` are (phase, seconds) of work that
    other threads and processes did meanwhile. `costs` are the same seconds by what they were for,
    `caches` what the compile caches would keep, `warm_start` what that is worth,
    `memory` what compiling did to the process's peak.
    """

    seconds: float
    phases: tuple[PhaseView, ...]
    totals: tuple[tuple[str, float, float], ...]
    parallel: tuple[tuple[str, float], ...] = ()
    costs: tuple[CostTable, ...] = ()
    caches: tuple[CacheView, ...] = ()
    warm_start: WarmStartView = WarmStartView()
    memory: CompileMemoryView = CompileMemoryView()


_EXPLANATIONS = {
    "entire_frame_compile": "All the work on one frame, from its bytecode to code that runs.",
    "dynamo": "Dynamo's own share of a frame: tracing, guards, the new bytecode.",
    "gc": "Python's garbage collector frees what the compilation left behind.",
    "CacheBase.get_system.triton_key": "Triton hashes its own sources, for the cache key; once.",
    "_compile.compile_inner": "All the work on one frame, from its bytecode to code that runs.",
    "bytecode_tracing": "Dynamo interprets the frame's bytecode and writes the graph down.",
    "variable_builder_call": "Dynamo wraps an input in a variable that it can trace.",
    "get_fake_value": "An operator runs on fake tensors, to learn shapes and types without data.",
    "build_guards": "Dynamo builds the checks that run before the compiled code.",
    "OutputGraph.call_user_compiler": "The captured graph is handed to the backend.",
    "backend_compile": "The backend compiles the captured graph.",
    "_recursive_pre_grad_passes": "Inductor rewrites the graph before autograd sees it.",
    "create_aot_dispatcher_function": "AOTAutograd traces the graph, and its backward if any.",
    "aot_collect_metadata": "AOTAutograd runs the graph once on fake tensors, to learn mutations.",
    "aot_trace_joint_graph": "AOTAutograd traces forward and backward as one joint graph.",
    "min_cut_rematerialization_partition": "The partitioner decides what the forward saves.",
    "compile_fx.<locals>.fw_compiler_base": "Inductor compiles the forward graph.",
    "compile_fx.<locals>.bw_compiler": "Inductor compiles the backward graph.",
    "_recursive_joint_graph_passes": "Inductor rewrites the joint graph.",
    "_recursive_post_grad_passes": "Inductor rewrites the graph after autograd.",
    "compile_fx_inner": "Inductor compiles a graph of ATen operators.",
    "inductor_compile": "Inductor compiles one graph, or finds it in its cache.",
    "fx_codegen_and_compile": "Inductor lowers the graph and generates code for it.",
    "GraphLowering.run": "Each operator is lowered to Inductor's loop-level IR.",
    "GraphLowering.codegen": "Inductor schedules the buffers and writes the code.",
    "GraphLowering.compile_to_fn": "The generated code is written, built and loaded.",
    "GraphLowering.compile_to_module": "The generated code is written, built and loaded.",
    "Scheduler.__init__": "The scheduler orders the buffers and fuses what it can.",
    "Scheduler.fused_nodes": "The scheduler weighs which buffers to fuse into one kernel.",
    "Scheduler.codegen": "Kernel code is written, fusion by fusion.",
    "PythonWrapperCodegen.generate": "The wrapper that calls the kernels is written.",
    "PyCodeCache.load_by_key_path": "The generated module is imported.",
    "async_compile.wait": "Python waits for the C++ or Triton compiler to finish.",
    "compile_file": "The C++ compiler builds a kernel.",
    "inductor_codecache_torch_key": "PyTorch hashes its own sources, for the cache key; once.",
}
_CLOCK = 1e-4  # consecutive roots may seem to overlap by the clock's resolution
_PREFIXES = (
    ("compile_attempt_", "One analysis of the frame. A frame that breaks is analysed again."),
    ("pass.", "One rewriting pass over a graph."),
    ("CachingAutotuner", "Triton configurations are built or timed against each other."),
    ("async_compile.", "A kernel is built by a compiler process."),
)


def explain(phase: str) -> str:
    """What a phase does, in a sentence; empty for unknown phases."""
    if known := _EXPLANATIONS.get(phase):
        return known
    return next((text for prefix, text in _PREFIXES if phase.startswith(prefix)), "")


def build(recording: Recording, places: Places) -> TimelineView:
    """Phases in order of start, and what each took without the phases nested in it."""
    timings = recording.timings
    depths = _depths(timings)
    order = sorted(range(len(timings)), key=lambda i: (timings[i].start, depths[i]))
    beside = _beside(timings, order, depths)
    seconds = compile_seconds(recording)
    totals = _totals([(timings[i], depths[i]) for i in order if i not in beside], seconds)
    return TimelineView(
        seconds=seconds,
        phases=tuple(_phase(timings[i], depths[i]) for i in order),
        totals=totals,
        parallel=_parallel(timings, beside),
        costs=costs.build(recording, places, seconds, waited_seconds(recording)),
        caches=caches.build(recording, places),
        warm_start=warm_start.build(recording, seconds),
        memory=memory.build(recording),
    )


def compile_seconds(recording: Recording) -> float:
    """Time spent compiling: the phases at the root, where they overlap counted once."""
    roots = [timing for timing in recording.timings if timing.parent < 0]
    if not roots:
        return sum(attempt.seconds for frame in recording.frames for attempt in frame.attempts)
    return covered_seconds(roots)


def covered_seconds(timings: Iterable[Timing]) -> float:
    """The time in which any of some phases ran: where they overlap, it counts once."""
    total, reached = 0.0, -math.inf
    for start, end in sorted((t.start, t.start + t.seconds) for t in timings):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def waited_seconds(recording: Recording) -> float:
    """The seconds for which Python waited until the compilers had built all kernels."""
    return sum(t.seconds for t in recording.timings if t.name == "async_compile.wait")


def _phase(timing: Timing, depth: int) -> PhaseView:
    return PhaseView(
        timing.name,
        timing.start,
        timing.seconds,
        depth,
        timing.compile_id,
        explain(timing.name),
    )


def _depths(timings: Sequence[Timing]) -> list[int]:
    """How deep each phase nests. A parent may come after its child, because it ends later."""
    depths = [-1] * len(timings)
    for index in range(len(timings)):
        chain: list[int] = []
        # -2 marks phases being visited, so that a cycle in a damaged file ends the walk.
        while index >= 0 and depths[index] == -1:
            depths[index] = -2
            chain.append(index)
            index = timings[index].parent
        above = max(depths[index], -1) if index >= 0 else -1
        for depth, member in enumerate(reversed(chain), above + 1):
            depths[member] = depth
    return depths


def _beside(timings: Sequence[Timing], order: Sequence[int], depths: Sequence[int]) -> set[int]:
    """The phases that ran in parallel: in another thread than their parent, or than a root."""
    beside: set[int] = set()
    reached = float("-inf")
    for index in sorted(order, key=lambda i: depths[i]):  # stable: at one depth, by start
        timing = timings[index]
        if timing.parent < 0:
            if timing.start < reached - _CLOCK:
                beside.add(index)
            else:
                reached = max(reached, timing.start + timing.seconds)
        elif timing.parent in beside or timings[timing.parent].thread != timing.thread:
            beside.add(index)
    return beside


def _totals(
    phases: Sequence[tuple[Timing, int]], seconds: float
) -> tuple[tuple[str, float, float], ...]:
    """Each moment belongs to the deepest phase of that moment, so that none counts twice.

    `phases` come with their depths, in order of start.
    """
    by_name = {timing.name: 0.0 for timing, _ in phases}
    moments = sorted({m for t, _ in phases for m in (t.start, t.start + t.seconds)})
    active: list[tuple[int, float, float, str]] = []
    coming = 0
    for moment, following in pairwise(moments):
        while coming < len(phases) and phases[coming][0].start <= moment:
            timing, depth = phases[coming]
            end = timing.start + timing.seconds
            heappush(active, (-depth, -timing.start, end, timing.name))
            coming += 1
        while active and active[0][2] <= moment:
            heappop(active)
        if active:
            by_name[active[0][3]] += following - moment
    whole = max(seconds, sum(by_name.values())) or 1.0
    ranked = sorted(by_name.items(), key=lambda item: -item[1])
    return tuple((name, value, value / whole) for name, value in ranked)


def _parallel(timings: Sequence[Timing], beside: set[int]) -> tuple[tuple[str, float], ...]:
    own = {index: timings[index].seconds for index in beside}
    for index in beside:
        parent = timings[index].parent
        if parent in beside and timings[parent].thread == timings[index].thread:
            own[parent] -= timings[index].seconds
    by_name: dict[str, float] = {}
    for index in sorted(beside):
        name = timings[index].name
        by_name[name] = by_name.get(name, 0.0) + max(0.0, own[index])
    return tuple(sorted(by_name.items(), key=lambda item: -item[1]))

"""The trees of CUDA graphs that a run recorded: which follows which, how often, and why anew.

Source: torch/_inductor/cudagraph_trees.py, `CUDAGraphTreeManager` and `CUDAGraphNode`.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Plain, Ref
from dynamo_lab.model.cuda_graphs.pools import CudaPool

Mode = Literal["forward", "backward", "inference", ""]
StepKind = Literal["warm-up", "recorded", "replayed", "written", "limit"]
"""What a call did. "written": it ran without a CUDA graph, as it writes to an input that no CUDA
graph made; "limit": so it did because it was recorded anew too often."""
Lies = Literal["pool", "earlier", "same", "elsewhere"]
"""Where an output lies: in memory of its own in the pool, in an earlier CUDA graph's output, in
another of its own outputs, or outside the pool: in a parameter, an input, or nowhere."""


class CudaFunction(Struct, frozen=True, kw_only=True):
    """A graph, or a part of one, that CUDA graphs are recorded of; `number` is PyTorch's.

    `graph` is the graph that was lowered, None where it was not recorded. `name` is of the
    function that runs it. `written` counts the inputs that it writes to.
    """

    number: Annotated[int, Plain("PyTorch's number of the function")]
    graph: Annotated[int | None, Ref("graphs")] = None
    mode: Mode = ""
    compile_id: str = ""
    name: str = ""
    written: int = 0


class CudaOutput(Struct, frozen=True, kw_only=True):
    """An output of a recorded CUDA graph: the `at`-th, from 0; `span` is the line that made it."""

    node: Annotated[int, Ref("CudaTrees.nodes")]
    at: int
    lies: Lies
    bytes: int = 0
    span: Annotated[int | None, Ref("spans")] = None


class CudaRefusal(Struct, frozen=True, kw_only=True):
    """Why a CUDA graph that was there could not be replayed, with PyTorch's name of the reason.

    `inputs` are the names of those that lay elsewhere. `outputs` are those of earlier CUDA graphs
    of which at least one was still held, though all were gone when this one was recorded.
    """

    node: Annotated[int, Ref("CudaTrees.nodes")]
    reason: str
    inputs: tuple[str, ...] = ()
    outputs: Annotated[tuple[int, ...], Ref("CudaTrees.returned")] = ()


class CudaNode(Struct, frozen=True, kw_only=True):
    """A recorded CUDA graph; `number` is PyTorch's, `parent` the one that runs before it.

    `generation` is PyTorch's count of steps when it was recorded: below 0 where the program marks
    them itself; None where that was before this recording. Of its inputs, each call copies `copied`
    of `copied_bytes`, `managed` are outputs of CUDA graphs before it, `fixed` stay in place.
    `refusals` say why those that were there were not replayed instead. `reserved` and `live` are
    the bytes of the pool right after it was recorded, None where they were not read.
    """

    number: Annotated[int, Plain("PyTorch's number of the recording")]
    function: Annotated[int, Ref("CudaTrees.functions")]
    parent: Annotated[int | None, Ref("CudaTrees.nodes")] = None
    generation: int | None = None
    replays: int = 0
    copied: Annotated[int, Plain("how many")] = 0
    copied_bytes: int = 0
    managed: int = 0
    fixed: int = 0
    refusals: tuple[CudaRefusal, ...] = ()
    reserved: int | None = None
    live: int | None = None


class CudaStep(Struct, frozen=True, kw_only=True):
    """What one call of a function did; `node` is the CUDA graph, where one was used."""

    kind: StepKind
    function: Annotated[int, Ref("CudaTrees.functions")]
    node: Annotated[int | None, Ref("CudaTrees.nodes")] = None


class CudaWalk(Struct, frozen=True, kw_only=True):
    """Calls from where a path begins to where the next one does, and how often they came so."""

    steps: tuple[CudaStep, ...]
    times: int = 1


class CudaOverwritten(Struct, frozen=True, kw_only=True):
    """An output that the program still held when a new step took its memory: reading it raises.

    `by` is the function whose call began that step. `node` is None where a warm-up made it.
    """

    function: Annotated[int, Ref("CudaTrees.functions")]
    by: Annotated[int, Ref("CudaTrees.functions")]
    at: int
    node: Annotated[int | None, Ref("CudaTrees.nodes")] = None
    span: Annotated[int | None, Ref("spans")] = None
    times: int = 1


class CudaTrees(Struct, frozen=True, kw_only=True):
    """All that one manager recorded on one device, from a pool of its own.

    `generations` counts the steps that were seen; `marked` says that the program marks them, with
    `torch.compiler.cudagraph_mark_step_begin`. `unlisted` are the walks beyond those that are kept.
    """

    device: int
    functions: tuple[CudaFunction, ...] = ()
    nodes: tuple[CudaNode, ...] = ()
    returned: tuple[CudaOutput, ...] = ()
    walks: tuple[CudaWalk, ...] = ()
    unlisted: int = 0
    overwritten: tuple[CudaOverwritten, ...] = ()
    generations: int = 0
    marked: bool = False
    pool: CudaPool | None = None


def problems(trees: Sequence[CudaTrees]) -> Iterator[str]:
    """A sentence if a CUDA graph follows one that was recorded after it: a walk might not end."""
    for at, one in enumerate(trees):
        for index, node in enumerate(one.nodes):
            if node.parent is not None and node.parent >= index:
                yield f"cuda_trees[{at}].nodes[{index}] follows {node.parent}, which comes later"

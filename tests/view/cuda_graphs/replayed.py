"""CUDA graphs as a GPU would record and replay them: two trees, a branch, and their pool."""

from msgspec.structs import replace

from dynamo_lab.model.cuda_graphs.pools import CudaBlock, CudaHeld, CudaPool, CudaSegment
from dynamo_lab.model.cuda_graphs.trees import (
    CudaFunction,
    CudaNode,
    CudaOutput,
    CudaOverwritten,
    CudaRefusal,
    CudaStep,
    CudaTrees,
    CudaWalk,
)
from dynamo_lab.model.recording import Recording
from tests.view.samples.lowered import lowered

MB = 1 << 20
LINE_2, LINE_3 = 1, 2
WARM = tuple(CudaStep(kind="warm-up", function=at) for at in (0, 1))


def ran(*nodes: int, kind: str = "replayed") -> tuple[CudaStep, ...]:
    """Steps on CUDA graphs, of the functions that they are of."""
    of = {0: 0, 1: 1, 2: 1, 3: 1}
    return tuple(CudaStep(kind=kind, function=of[node], node=node) for node in nodes)  # type: ignore[arg-type]


def trees() -> CudaTrees:
    """Part 0 goes before part 1, which is recorded again as a result was held, and alone."""
    return CudaTrees(
        device=0,
        functions=(
            CudaFunction(number=0, graph=1, mode="inference", compile_id="0/0", name="partition_0"),
            CudaFunction(number=1, graph=1, mode="inference", compile_id="0/0", name="partition_1"),
            CudaFunction(number=2, mode="backward", compile_id="1/0", written=1),
        ),
        nodes=(
            CudaNode(
                number=0, function=0, generation=2, replays=9, copied=1, copied_bytes=256, fixed=1,
                reserved=2 * MB, live=512,
            ),
            CudaNode(
                number=1, function=1, parent=0, generation=2, replays=6, managed=1,
                reserved=2 * MB, live=1024,
            ),
            CudaNode(
                number=2, function=1, parent=0, generation=5, replays=3, managed=1,
                refusals=(
                    CudaRefusal(
                        node=1, reason="ExpectedDeadIndicesBeforeGraphMismatch", outputs=(1,)
                    ),
                    CudaRefusal(node=1, reason="StaticInputIdxMismatch", inputs=("primals_2",)),
                ),
                reserved=4 * MB, live=1536,
            ),
            CudaNode(number=3, function=1, copied=1, copied_bytes=64),
        ),
        returned=(
            CudaOutput(node=0, at=0, lies="pool", bytes=256, span=LINE_2),
            CudaOutput(node=0, at=1, lies="pool", bytes=32, span=LINE_3),
            CudaOutput(node=1, at=0, lies="pool", bytes=256, span=LINE_3),
            CudaOutput(node=1, at=1, lies="earlier", bytes=256),
            CudaOutput(node=2, at=0, lies="elsewhere"),
        ),
        walks=(
            CudaWalk(steps=WARM),
            CudaWalk(steps=ran(0, 1), times=6),
            CudaWalk(steps=(*ran(0), *ran(2, kind="recorded"))),
            CudaWalk(steps=(*ran(0, 2), *(CudaStep(kind="written", function=2),) * 2), times=3),
        ),
        unlisted=1,
        overwritten=(
            CudaOverwritten(function=1, by=0, at=0, node=1, span=LINE_3, times=3),
            CudaOverwritten(function=0, by=0, at=1),
        ),
        generations=11,
        pool=CudaPool(
            name="(0, 1)",
            node=2,
            segments=(
                CudaSegment(
                    bytes=2 * MB,
                    live=1536,
                    spaces=(
                        CudaBlock(bytes=512, requested=256, state="live"),
                        CudaBlock(bytes=512, requested=32, state="live", span=LINE_3),
                        CudaBlock(bytes=512, requested=500, state="live"),
                        CudaBlock(bytes=2 * MB - 1536),
                    ),
                ),
                CudaSegment(
                    bytes=2 * MB,
                    spaces=(CudaBlock(bytes=2 * MB, requested=2 * MB, state="awaiting"),),
                ),
            ),
            lying=(
                CudaHeld(node=0, segment=0, offset=0, bytes=256, output=0),
                CudaHeld(node=0, segment=0, offset=512, bytes=32, output=1),
                CudaHeld(node=0, segment=0, offset=2048, bytes=256, input=0),
                CudaHeld(node=1, segment=0, offset=2048, bytes=256, output=2),
            ),
        ),
    )  # fmt: skip


def replayed() -> Recording:
    """A graph that was lowered, run, recorded and replayed."""
    return replace(lowered(), cuda_trees=(trees(),))

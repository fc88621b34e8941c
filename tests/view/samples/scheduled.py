"""Five operations in three groups: one pair fused, one refused by a reason and one without."""

from msgspec.structs import replace

from dynamo_lab.model.fusion.fusion import Group, Operation, Placed, Ruling, Schedule, VerdictTable
from dynamo_lab.model.fusion.memory import MemoryBuffer, MemoryEvent, MemoryPlan, MemoryStep
from dynamo_lab.model.recording import Recording

from .branch_and_print import branch_and_print

GRAPH = 5


def scheduled() -> Recording:
    """The guiding example, with a schedule of its first graph and the memory of that."""
    return replace(branch_and_print(), schedules=(_schedule(),), memory_plans=(_plan(),))


def _schedule() -> Schedule:
    return Schedule(
        graph=GRAPH,
        operations=(
            Operation(name="op0", buffers=("buf0",), kind="pointwise", device="cpu",
                      nodes=(1, 2, 3, 4, 5), reads=("arg0_1",)),
            Operation(name="op1", buffers=("buf1",), kind="reduction", device="cpu",
                      nodes=(6,), reads=("buf0",), after=(0,)),
            Operation(name="op2", buffers=("buf2",), kind="extern", device="cpu",
                      reads=("buf0",), after=(0,), call="extern_kernels.mm"),
            Operation(name="op3", buffers=("buf3",), kind="pointwise", device="cpu",
                      nodes=(7,), reads=("buf0", "buf1"), after=(0, 1), weak=(0,)),
            Operation(name="op4", buffers=("buf4",), kind="pointwise", device="cpu",
                      reads=("arg1_1",)),
        ),
        groups=(
            Group(operations=(0,), loops=("8", "8")),
            Group(operations=(1,), loops=("8",), reduction=("8",)),
            Group(operations=(2,)),
            Group(operations=(3,), loops=("8",)),
            Group(operations=(4,), loops=("4",)),
            Group(operations=(0, 1), kind="fused", loops=("8",), reduction=("8",)),
            Group(operations=(3, 4), kind="foreach", parts=((3,), (4,))),
        ),
        start=(0, 1, 2, 3, 4),
        rounds=(False, True),
        verdicts=VerdictTable(
            rulings=(
                Ruling(first_round=1, round=1, kind="vertical", outcome="fused", shared=256,
                       score=(2, 0, 256, 0, -1), into=5),
                Ruling(first_round=1, round=1, kind="vertical", outcome="refused", shared=256,
                       reasons=("intermediate nodes between node1 & node2",)),
                Ruling(first_round=1, round=1, kind="vertical", outcome="possible", shared=32,
                       score=(2, 0, 32, 0, -2)),
                Ruling(first_round=1, round=2, kind="vertical", outcome="refused", shared=288,
                       check="backend"),
            ),
            pairs=((0, 1), (0, 3), (1, 3), (5, 3)),
            ruling=(0, 1, 2, 3),
        ),
        final=(
            Placed(group=5, kernel=0),
            Placed(group=2),
            Placed(group=3, kernel=1),
            Placed(group=4, kernel=1),
        ),
        backends={"cpu": "CppScheduling"},
    )  # fmt: skip


def _plan() -> MemoryPlan:
    return MemoryPlan(
        schedule=0,
        buffers=(
            MemoryBuffer(name="buf0", role="buffer", bytes=256, dtype="float32",
                         shape=("8", "8"), operation=0),
            MemoryBuffer(name="buf1", role="buffer", bytes=32, dtype="float32",
                         shape=("8",), operation=1),
            MemoryBuffer(name="buf2", role="buffer", bytes=256, dtype="float32",
                         shape=("8", "8"), operation=2),
            MemoryBuffer(name="buf3", role="output", bytes=32, dtype="float32",
                         shape=("8",), operation=3),
            MemoryBuffer(name="buf4", role="output", bytes=256, dtype="float32",
                         shape=("u0",), operation=4),
            MemoryBuffer(name="tangents_1", role="donated", bytes=64, dtype="float32",
                         shape=("16",)),
            MemoryBuffer(name="buf9", role="removed", bytes=128, dtype="float32",
                         shape=("32",), operation=0),
        ),
        steps=(
            MemoryStep(name="cpp_fused_add_gelu_0", kernel=0, operations=(0, 1)),
            MemoryStep(name="extern_kernels.mm", operations=(2,)),
            MemoryStep(name="cpp_fused_gt_sum_1", kernel=1, operations=(3, 4)),
        ),
        events=(
            MemoryEvent(0, "allocate", 0),
            MemoryEvent(0, "allocate", 1),
            MemoryEvent(1, "allocate", 2),
            MemoryEvent(2, "free", 5),
            MemoryEvent(2, "in_place", 3, 1),
            MemoryEvent(2, "reuse", 4, 2),
            MemoryEvent(3, "free", 0),
        ),
    )  # fmt: skip

"""Reasons against any two groups: what they need of each other, how much, and where."""

from dynamo_lab.view.fusion.advice.sentences import Advice

BETWEEN = Advice("Something else has to run after {a} and before {b}.")
"""What it is can be worked out from the schedule; PyTorch's reason does not name it."""

REASONS: dict[str, Advice] = {
    "intermediate nodes between": BETWEEN,
    "will create cycle": Advice(
        "Fused, they would wait for themselves: another group needs {a}, and {b} needs that.",
    ),
    "memory deps did not match": Advice(
        "{b} reads what {a} writes in another order or at other places, so the value is not at "
        "hand in the same step of the loop.",
    ),
    "no shared data due to indexing mismatch": Advice(
        "They use a buffer in common, but walk it differently, so no value can be shared.",
    ),
    "no shared data": Advice(
        "In no step of their loops do they need the same value: by Inductor's count, one kernel "
        "would save no memory traffic.",
    ),
    "score_fusion_memory_threshold": Advice(
        "They would save fewer bytes than is worth a fusion.",
        "Lower `torch._inductor.config.score_fusion_memory_threshold` (10 bytes by default).",
    ),
    "exceeds max fusion": Advice(
        "Together they are more operations than one kernel may have.",
        "Raise `torch._inductor.config.max_fusion_size` (64 by default).",
    ),
    "Fusion will increase peak memory": Advice(
        "Fused, buffers that could be reused one after the other would be needed at once: more "
        "than 32 times the bytes saved.",
    ),
    "fusion_prevent_too_many_reads_and_writes": Advice(
        "One kernel would read and write too many different buffers.",
        "Raise `torch._inductor.config.max_fusion_unique_io_buffers`, or set it to None.",
    ),
    "Nodes are too far away": Advice(
        "They lie more than 64 operations apart, and fusing them would keep buffers alive in "
        "between.",
    ),
    "node1 must go before node2": Advice(
        "{b} is needed to compute {a}, so the pair makes sense in the other order only."
    ),
    "grouped node must not": Advice("One of them is held in a group that has to stay as it is."),
    "fusion for buffer explicit disabled": Advice(
        "Another part of Inductor forbids it, to send the buffer to other devices."
    ),
    "device mismatch": Advice("They run on different devices."),
    "foreach do not have same length": Advice("The two lists are not equally long."),
    "candidate producer is a reduction": Advice(
        "{a} is a reduction, which does not go into a foreach."
    ),
    "candidate consumer is a reduction": Advice(
        "{b} is a reduction, which does not go into a foreach."
    ),
    "candidate producer is not dep of any": Advice("No element of the list needs {a}."),
    "candidate consumer has no dep in any": Advice("{b} needs no element of the list, or several."),
    "a consumer depends on another producer": Advice(
        "An element of the second list needs what another element of the first writes."
    ),
}

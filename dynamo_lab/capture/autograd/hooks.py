"""Private names of PyTorch for AOTAutograd."""

from dynamo_lab.capture.core.private import Private

_STAGES = "torch._functorch._aot_autograd.graph_compile"
_PARTITIONERS = "torch._functorch.partitioners"

JOINT = Private(
    _STAGES, "aot_dispatch_autograd_graph", "the joint graph of a training step is not recorded."
)
PARTITION = Private(
    _STAGES,
    "_aot_stage2a_partition",
    "the forward and the backward, and what is saved between them, are not recorded.",
)
FORWARD = Private(
    _STAGES, "_aot_stage2b_fw_compile", "whether a saved value gets another layout is not recorded."
)
BACKWARD = Private(
    "torch._functorch._aot_autograd.runtime_wrappers",
    "_AutogradBackwardCompiler.get_or_compile",
    "whether the backward may overwrite a saved value is not recorded.",
    since="2.13",
)
INFERENCE = Private(
    _STAGES, "_aot_stage2b_inference_compile", "the forward of an inference is not recorded."
)
CHOICE = Private(
    _PARTITIONERS,
    "choose_saved_values_set",
    "why a value is saved is not recorded, and no other memory budget can be tried.",
)
_CUT = "the price of each saved value is not recorded."
MINIMUM_CUT = Private(_PARTITIONERS, "minimum_cut", _CUT, since="2.15")
NETWORKX = Private("networkx", "", _CUT, until="2.14")
WHOLE = Private(
    "torch._functorch.aot_autograd",
    "aot_export_module",
    "the joint graph of a training step is not made ahead of time.",
)

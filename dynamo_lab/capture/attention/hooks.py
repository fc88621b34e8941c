"""Private names of PyTorch for its choice of an attention kernel."""

from dynamo_lab.capture.core.private import Private

_ORDER = "the order in which attention kernels are tried is taken to be PyTorch's own."
ORDER = Private("torch._C", "_get_sdp_priority_order", _ORDER, otherwise=lambda: [])
OVERRIDEABLE = Private(
    "torch._C",
    "_get_overrideable_sdp_enabled",
    "whether a device's own attention kernel is allowed is not known.",
    otherwise=lambda: True,
)
CHOSEN = Private(
    "torch",
    "_fused_sdp_choice",
    "the attention kernel that PyTorch chooses here is not asked for.",
)
SET_IN_GRAPH = Private(
    "torch.nn.attention",
    "_sdpa_kernel",
    "an `sdpa_kernel` inside of what is compiled is not seen.",
    otherwise=None,
)
"""What `sdpa_kernel` is in a graph of Dynamo's."""

"""Private names of PyTorch for the layout of values in memory."""

from dynamo_lab.capture.core.private import Field, Private, nothing

_GRAPH = "torch._inductor.graph"

DECIDE = Private(
    _GRAPH,
    "GraphLowering.decide_layout_opt",
    "why convolutions are in channels last, or are not, is not known.",
)
ONEDNN_CONVOLUTION = Private(
    _GRAPH, "is_mkldnn_conv", "convolutions of oneDNN are not counted.", otherwise=nothing
)
OF_CONSTANTS = Field(
    _GRAPH,
    "GraphLowering.is_const_graph",
    "what is decided on a graph's constants is taken for what is decided on the graph.",
    otherwise=False,
)

_SETTING = "that a setting decides on channels last is not known."
ENABLED = Private("torch._inductor.config", "layout_optimization", _SETTING, otherwise=True)
FORCED = Private("torch._inductor.config", "force_layout_optimization", _SETTING, otherwise=False)

GRAPH_ENTRY = Private(
    "torch._inductor.pattern_matcher",
    "GraphPatternEntry.apply",
    "freezing without packed weights is not tried.",
)
ONEDNN_PASSES = "torch._inductor.fx_passes.mkldnn_fusion"
"""Where Inductor keeps the patterns that pack weights for oneDNN and fuse into its kernels."""

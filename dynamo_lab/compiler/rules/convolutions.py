"""Convolutions are ATen's; how their images lie is ours: channels last, as oneDNN is fastest with.

Not where a backward keeps an image, or computes with one: it expects the order of eager.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.fx.node import map_arg

if TYPE_CHECKING:
    from torch import fx

aten = torch.ops.aten
NHWC = torch.channels_last


def in_channels_last(node: fx.Node, fake: Any) -> Any:
    """The fake result of a convolution of such images and weights, or of any other node as it is.

    Args:
        node: of ATen's graph; its first two arguments are to lie so if the result does.
        fake: its result as it was traced.
    """
    convolve: Any = aten.convolution.default
    if node.target is not convolve or not _may_differ(node, fake):
        return fake
    own = set(node.all_input_nodes[:2])

    def given(arg: fx.Node) -> Any:
        value = arg.meta["val"]
        return value.contiguous(memory_format=NHWC) if arg in own else value

    return convolve(*map_arg(node.args, given))


def _may_differ(node: fx.Node, fake: torch.Tensor) -> bool:
    """Is it of the CPU and of known sizes, and does the graph not hand its images out?"""
    known = all(isinstance(n, int) for n in fake.shape)
    if fake.device.type != "cpu" or fake.dim() != 4 or not known:
        return False
    kept = set(node.graph.output_node().all_input_nodes)
    image, weights = node.all_input_nodes[:2]
    is_given = image.op != "placeholder" and image in kept
    of_backward = aten.convolution_backward.default
    users = {user.target for one in (node, image, weights) for user in one.users}
    return not (is_given or weights in kept or node in kept or of_backward in users)

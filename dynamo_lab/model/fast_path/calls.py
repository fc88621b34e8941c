"""Calls of the modules of `torch.nn` that have a fast path."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Depth, Ref

Kind = Literal["encoder", "layer", "attention"]
"""`nn.TransformerEncoder`, `nn.TransformerEncoderLayer` and `nn.MultiheadAttention`."""

OPERATORS: dict[Kind, str] = {
    "encoder": "_nested_tensor_from_mask",
    "layer": "_transformer_encoder_layer_fwd",
    "attention": "_native_multi_head_attention",
}
"""What is called where the fast path is taken; an encoder's makes a nested tensor of its input."""


class FastPathCall(Struct, frozen=True, kw_only=True):
    """A call, and what PyTorch decided in the module's own `forward`.

    `taken` says that its operator was called. `reason` are PyTorch's words where it was not, empty
    if it gives none; `made_so` are those of `nn.TransformerEncoder.__init__`, where that decided.
    `module` is its path from the root; `depth` counts the calls of this kind that it was made in,
    which come before it.
    """

    kind: Kind
    taken: bool
    reason: str = ""
    made_so: str = ""
    module: str = ""
    depth: Depth = 0


class FastPath(Struct, frozen=True, kw_only=True):
    """A call that Dynamo analysed as part of a frame that it compiled.

    Of one that is `cut`, the graph breaks inside of it: it runs eagerly, and what it takes there is
    not known. `stack` goes to the line that called it.
    """

    frame: Annotated[int, Ref("frames")]
    call: FastPathCall
    stack: Annotated[int | None, Ref("stacks")] = None
    cut: bool = False

"""Calls of `scaled_dot_product_attention`: what PyTorch looks at when it chooses a kernel."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Ref

Kernel = Literal["flash", "efficient", "cudnn", "math", "overrideable"]
"""The members of `torch.nn.attention.SDPBackend`, without their ending."""

KERNELS: tuple[Kernel, ...] = ("math", "flash", "efficient", "cudnn", "overrideable")
"""At the position that PyTorch numbers them by (`at::SDPBackend`)."""

DEFAULT_ORDER: tuple[Kernel, ...] = ("flash", "efficient", "math", "cudnn", "overrideable")
"""In which they are tried where nobody chose one (`Context::sdp_priority_order`)."""


class Operand(Struct, frozen=True, kw_only=True):
    """A tensor that attention reads. Sizes and strides are numbers of elements.

    A size that is a symbol has the number that it had when it was traced, None if it had none;
    `symbols` are then the sizes as text. `offset` is where in its storage the tensor begins.
    """

    dtype: str
    shape: tuple[int | None, ...]
    stride: tuple[int | None, ...] = ()
    symbols: tuple[str, ...] = ()
    offset: int | None = 0
    requires_grad: bool = False
    is_nested: bool = False


class Problem(Struct, frozen=True, kw_only=True):
    """One call: its tensors, its options, and the settings of PyTorch under which it is made.

    `grad` is whether gradients were recorded, None if it is not known. `allowed` are the kernels
    that `sdpa_kernel` or `torch.backends.cuda` allow, `order` the one in which they are tried.
    """

    query: Operand
    key: Operand
    value: Operand
    mask: Operand | None = None
    dropout: float = 0.0
    is_causal: bool = False
    scale: float | None = None
    enable_gqa: bool = False
    grad: bool | None = False
    allowed: tuple[Kernel, ...] = KERNELS
    order: tuple[Kernel, ...] = DEFAULT_ORDER
    deterministic: bool = False

    @property
    def inputs(self) -> tuple[Operand, Operand, Operand]:
        """Query, key and value."""
        return self.query, self.key, self.value


class Attention(Struct, frozen=True, kw_only=True):
    """A call in a graph.

    An "sdpa" is a call of `scaled_dot_product_attention` as Dynamo captured it. A "fused" one is
    the operator of a kernel, in a graph whose code is generated; a "flex" one is of
    `flex_attention`, for which Inductor writes the kernel and PyTorch chooses nothing.
    """

    graph: Annotated[int, Ref("graphs")]
    node: Annotated[int, Ref("graphs[graph].nodes")]
    kind: Literal["sdpa", "fused", "flex"]
    device: str
    problem: Problem

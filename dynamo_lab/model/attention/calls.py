"""Calls of `scaled_dot_product_attention`: what PyTorch looks at when it chooses a kernel."""

from typing import Annotated, Literal

from msgspec import Struct
from msgspec.structs import replace

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

    def with_dimensions(self, count: int) -> "Operand":
        """The same with sizes of 1 before the others, so that there are at least `count`."""
        missing = max(0, count - len(self.shape))
        size, stride = (self.shape or (1,))[0], (self.stride or (1,))[0]
        step = None if size is None or stride is None else size * stride
        return replace(
            self,
            shape=(1,) * missing + self.shape,
            stride=(step,) * missing + self.stride,
            symbols=("1",) * missing + self.symbols if self.symbols else (),
        )


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

    def batched(self) -> "Problem":
        """With a batch of one where there is none (`normalize_unbatched_input`)."""
        if any(len(t.shape) != 3 or t.is_nested for t in self.inputs):
            return self
        query, key, value = (t.with_dimensions(4) for t in self.inputs)
        mask = None if self.mask is None else self.mask.with_dimensions(4)
        return replace(self, query=query, key=key, value=value, mask=mask)


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

"""Whether Inductor asks for channels last in a graph, and why."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Ref

Rule = Literal["off", "forced", "none", "oneDNN", "estimate", "unopposed", "said", "unknown"]
"""Why Inductor gives the convolutions of a graph channels last, or does not: a setting, no
convolution, all of them on a CPU with oneDNN, an estimate from their operations, none of the
reasons against it in training, PyTorch's own words, or nothing that is known."""


class LayoutChoice(Struct, frozen=True, kw_only=True):
    """What was decided on a graph, or on the body of an operator. `said` are PyTorch's words.

    PyTorch has words only where it decides against it.
    """

    graph: Annotated[int, Ref("graphs")]
    chosen: bool
    rule: Rule
    said: str = ""
    convolutions: int = 0
    is_inference: bool = True

"""Facts of a model that was quantized by schemes: what became integer, how far off, how fast."""

from typing import Literal

from msgspec import Struct

Scheme = Literal["int8", "int8-dynamic", "int8-weights", "int4-weights"]
"""Weights and activations with ranges seen before (pt2e, X86), the same with ranges found in each
call, or weights alone."""


class Part(Struct, frozen=True, kw_only=True):
    """A module, or an operator of an exported graph: what it computes in, and its error.

    `error` is the root mean square of the difference to the float model's result, relative to that
    of the result, errors of what comes before included; None where it could not be compared. `why`
    says why it stayed float.
    """

    name: str
    kind: str
    scheme: str
    error: float | None = None
    why: str = ""

    @property
    def is_float(self) -> bool:
        """Whether it computes as before."""
        return self.scheme == "float"


class Stage(Struct, frozen=True, kw_only=True):
    """The operators of the model at a stage on the way to integer kernels, in order."""

    name: str
    operators: tuple[str, ...]


class SchemeTrial(Struct, frozen=True, kw_only=True):
    """A scheme: `problem` says why it could not be had; nothing else is set then.

    `bytes` are those of its parameters and constants, `seconds` of a call each round, compiled.
    """

    scheme: Scheme
    problem: str = ""
    parts: tuple[Part, ...] = ()
    stages: tuple[Stage, ...] = ()
    kernels: tuple[str, ...] = ()
    seconds: tuple[float, ...] = ()
    bytes: int = 0
    error: float | None = None


class Quantization(Struct, frozen=True, kw_only=True):
    """The float model, compiled, and each scheme, measured in turns."""

    title: str
    torchao: str
    machine: str
    float_bytes: int
    float_seconds: tuple[float, ...] = ()
    schemes: tuple[SchemeTrial, ...] = ()

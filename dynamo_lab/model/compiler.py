"""A graph of the backend `lab` on its way to code: the rules, the fused loops, and their texts.

What its operators and buffers became is in `lowering`; this is what only a compiler of our own
tells: the source of each rule, and each kernel before and after it is printed.
"""

from typing import Annotated

from msgspec import Struct

from dynamo_lab.model.core.references import Ref
from dynamo_lab.model.kernels import Language


class LabLine(Struct, frozen=True, array_like=True):
    """A line of the loop IR or of a text, and the nodes that it computes for."""

    text: str
    nodes: Annotated[tuple[int, ...], Ref("graphs[LabGraph.graph].nodes")] = ()


class LabRule(Struct, frozen=True, kw_only=True):
    """A lowering rule: where it is, and its source; empty where that is not known.

    The source of a rule that a function makes begins with what that function was given.
    """

    name: str
    file: str = ""
    line: int = 0
    text: str = ""


class LabUse(Struct, frozen=True, array_like=True):
    """The rule that a node was lowered by."""

    node: Annotated[int, Ref("graphs[LabGraph.graph].nodes")]
    rule: Annotated[int, Ref("LabGraph.rules")]


class LabText(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A kernel in a language; `refused` says why it has no text there."""

    language: Language
    printed: tuple[LabLine, ...] = ()
    refused: str = ""


class LabTurns(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A loop of a kernel; `reduces` where it is reduced over. 0 is no tile, and no unrolling."""

    name: str
    size: str
    reduces: bool = False
    tile: int = 0
    unroll: int = 0


class LabKernel(Struct, frozen=True, kw_only=True):
    """Fused loops: the buffers whose loops they are, as loop IR, and printed.

    `turns` are its loops, the outermost first, where it is C that runs; `is_tuned` where a reader
    says how they are written. `texts` begin with the language that runs.
    """

    kernel: Annotated[int, Ref("kernels")]
    name: str
    buffers: tuple[str, ...]
    loop_ir: tuple[LabLine, ...]
    texts: tuple[LabText, ...]
    turns: tuple[LabTurns, ...] = ()
    is_tuned: bool = False


class LabGraph(Struct, frozen=True, kw_only=True):
    """One graph: the rules that lowered its nodes, and its kernels."""

    graph: Annotated[int, Ref("graphs")]
    rules: tuple[LabRule, ...] = ()
    uses: tuple[LabUse, ...] = ()
    kernels: tuple[LabKernel, ...] = ()

"""Symbols: sizes and numbers that compiled code keeps dynamic, and what specialized some."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Ref

SymbolEvent = Literal["guard", "assert", "constant", "equal", "zero_one", "violation"]


class Symbol(Struct, frozen=True, kw_only=True):
    """A size or a number that a compilation keeps dynamic ("s0"), or knows only at run time ("u0").

    `sources` are Dynamo's names for the values that it stands for ("L['x'].size()[0]"): several
    if equal sizes share it. `hint` is its value in the call that was compiled, `lower` and
    `upper` bound it (empty for no bound), `stack` are the lines where it was made. `value` is what
    replaced it, if anything did.
    """

    frame: Annotated[int, Ref("frames")]
    compile_id: str
    name: str
    is_backed: bool = True
    hint: str = ""
    lower: str = ""
    upper: str = ""
    sources: tuple[str, ...] = ()
    stack: Annotated[int | None, Ref("stacks")] = None
    value: str = ""


class ShapeFact(Struct, frozen=True, kw_only=True):
    """Something that a compilation assumed of its symbols, and the user's lines that caused it.

    A "guard" is checked before the code runs, an "assert" while it runs. "constant" and "equal"
    replace a symbol by a value or another symbol; "zero_one" made a size of 0 or 1 a constant
    from the start, which has no symbol; a "violation" is a size marked dynamic that could not be.
    """

    frame: Annotated[int, Ref("frames")]
    compile_id: str
    event: SymbolEvent
    expression: str
    symbols: tuple[str, ...] = ()
    source: str = ""
    stack: Annotated[int | None, Ref("stacks")] = None

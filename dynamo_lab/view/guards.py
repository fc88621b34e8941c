"""Guards grouped by the value they check, and the recompilations their failures caused."""

from msgspec import Struct


class GuardView(Struct, frozen=True, kw_only=True):
    """One guard: what it checks, in the words Dynamo checks it, and the line that asked for it."""

    kind: str
    source: str
    expressions: tuple[str, ...]
    where: str
    entity: str
    frame: int
    compile_id: str


class RecompileView(Struct, frozen=True, kw_only=True):
    """A compilation that was made because guards failed."""

    frame: int
    title: str
    compile_id: str
    failures: tuple[tuple[str, str], ...]
    advice: str
    limit_hit: bool


class GuardsView(Struct, frozen=True, kw_only=True):
    """All guards in frame order, and the recompilations before them."""

    guards: tuple[GuardView, ...]
    recompiles: tuple[RecompileView, ...]

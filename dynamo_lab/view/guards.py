"""Guards grouped by the value they check, and the recompilations their failures caused."""

import re
from collections.abc import Sequence

from msgspec import Struct

from dynamo_lab.model.guards import Guard, Recompile
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.names import frame_names
from dynamo_lab.view.places import Places, entity


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


def build(recording: Recording, places: Places) -> GuardsView:
    """Guards in frame order, grouped by the value they check."""
    order: dict[tuple[int, str, str], int] = {}
    for guard in recording.guards:
        order.setdefault((guard.frame, guard.compile_id, guard.source), len(order))
    ranked = sorted(
        recording.guards, key=lambda g: (g.frame, order[g.frame, g.compile_id, g.source])
    )
    names = frame_names(recording)
    return GuardsView(
        guards=tuple(_guard(guard, places) for guard in ranked),
        recompiles=tuple(_recompile(item, names) for item in recording.recompiles),
    )


def _guard(guard: Guard, places: Places) -> GuardView:
    line = places.own_line(guard.stack)
    return GuardView(
        kind=guard.kind,
        source=guard.source,
        expressions=_telling(guard.expressions),
        where=places.where(line) if line else "",
        entity=entity(line) if line else "",
        frame=guard.frame,
        compile_id=guard.compile_id,
    )


# Each tensor is asked whether someone marked its sizes dynamic: five guards that hardly ever fail.
_UNMARKED = re.compile(r"(hasattr\(.*, '_dynamo_)\w*(_indices'\) == False)")

_FOLDED = re.compile("'_dynamo_\N{HORIZONTAL ELLIPSIS}_indices'")


def _telling(expressions: Sequence[str]) -> tuple[str, ...]:
    """The expressions, those on marks folded into one that comes last."""
    folded = (_UNMARKED.sub("\\1\N{HORIZONTAL ELLIPSIS}\\2", text) for text in expressions)
    return tuple(sorted(dict.fromkeys(folded), key=lambda text: bool(_FOLDED.search(text))))


def _recompile(item: Recompile, names: Sequence[str]) -> RecompileView:
    again = (
        "was compiled too often and now runs eagerly" if item.limit_hit else "was compiled again"
    )
    return RecompileView(
        frame=item.frame,
        title=f"{names[item.frame]} {again}",
        compile_id=item.compile_id,
        failures=item.failures,
        advice=_advice(item),
        limit_hit=item.limit_hit,
    )


_LIMIT = (
    "Find what changes between calls below and make it a tensor or mark it dynamic; "
    "`torch._dynamo.config.recompile_limit` is the limit."
)
_OF_ITEM = (
    r"___stack\d+['\"\]]*\s*==\s*-?\d",
    "A Python number changed that came out of `.item()` or `float()` at the break before: the code "
    "after the break was compiled for that very number. Keep it a tensor.",
)
_ADVICE = (
    (
        r"size mismatch|\.size\(\)|\.shape|stride mismatch|rank mismatch|Eq\(|Ne\(|"
        r"check_tensor_dims",
        "A size changed. If it goes on changing, compile with `dynamic=True`, or mark that "
        "dimension with `torch._dynamo.mark_dynamic(tensor, dimension)` before the first call.",
    ),
    (
        r"dtype mismatch|dtype",
        "A tensor's dtype changed. Convert it before the call: each dtype needs code of its own.",
    ),
    (
        r"requires_grad",
        "A tensor was called with and without gradients: each needs code of its own. Use the same "
        "for every call, or expect one compilation for each.",
    ),
    (
        r"grad_mode|GLOBAL_STATE|Global state",
        "A global setting changed, such as `torch.no_grad`. Call under the same settings.",
    ),
    (
        r"device mismatch",
        "A tensor moved to another device: each device needs code of its own.",
    ),
    (
        r"type_id|check_obj_id|type mismatch|expected type",
        "A value of another type or another object was passed. Pass the same one, or a tensor.",
    ),
    _OF_ITEM,
    (
        r"==|EQUALS",
        "Python numbers and strings are compiled in as constants. Pass what changes as a tensor, "
        "or set `torch._dynamo.config.allow_unspec_int_on_nn_module` for a module's own integers.",
    ),
)


def _advice(item: Recompile) -> str:
    """An advice for each kind of failure, of the latest earlier compilation first."""
    if item.limit_hit:
        return _LIMIT
    latest_first = sorted(item.failures, key=lambda failure: _order(failure[0]), reverse=True)
    found = (_advice_on(guard) for _, guard in latest_first)
    return " ".join(dict.fromkeys(text for text in found if text))


def _advice_on(guard: str) -> str:
    check = guard.partition("  # ")[0]  # what follows is the reader's line, which names anything
    return next((text for pattern, text in _ADVICE if re.search(pattern, check)), "")


def _order(compile_id: str) -> tuple[int, ...]:
    """Compile ids in their order: "0/10" is later than "0/9"."""
    return tuple(int(number) for number in re.findall(r"\d{1,9}", compile_id))

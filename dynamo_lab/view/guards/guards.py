"""Guards grouped by the value they check, and the recompilations their failures caused."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from dynamo_lab.model.guards.guards import FailedGuard, Guard, Recompile
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.places import Places, entity_if_known
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.guards import costs, refusals
from dynamo_lab.view.guards.advice import advice_on
from dynamo_lab.view.guards.changes import ChangesView, changes
from dynamo_lab.view.guards.compilations import Compilations, at_the_limit, limit_told
from dynamo_lab.view.guards.costs import GuardCostView
from dynamo_lab.view.guards.failed import failed_guard, what_followed
from dynamo_lab.view.guards.failing import cause, describe
from dynamo_lab.view.guards.numbers import NUMBER_OF_A_BREAK
from dynamo_lab.view.guards.order import is_of_state
from dynamo_lab.view.guards.own_names import in_own_words, with_parameters
from dynamo_lab.view.guards.refusals import RefusalView
from dynamo_lab.view.guards.remedy import Remedy
from dynamo_lab.view.guards.wording import demands

_Told = tuple[int, str, str, str]
"""A frame, a value, and what was advised on it: the text and the code."""


class GuardView(Struct, frozen=True, kw_only=True):
    """One guard: what it checks, in Dynamo's words, and the line that caused it.

    `text` says what it demands of a tensor or of the global state. `is_state`: it is on the state
    of PyTorch, not on a value; `compile_ids` are the compilations that share it. `failed` says what
    it led to that this guard did not hold; empty if that is not known of it.
    """

    kind: str
    source: str
    expressions: tuple[str, ...]
    where: str
    entity: str
    frame: int
    compile_id: str
    text: str = ""
    is_state: bool = False
    compile_ids: tuple[str, ...] = ()
    failed: str = ""


class CauseView(Struct, frozen=True, kw_only=True):
    """A reason to recompile: what changed, which earlier code it rules out, how to avoid it.

    `where` is the line that caused the guard, `check` the guard in Dynamo's words, `guard` the
    first of the guards that failed so, as an entity; empty if that is not known.
    """

    text: str
    earlier: tuple[str, ...]
    check: str
    where: str
    entity: str
    remedies: tuple[Remedy, ...]
    guard: str = ""


class RecompileView(Struct, frozen=True, kw_only=True):
    """A compilation caused by failed guards, and what differs from the one before.

    `causes` are empty in recordings with only the texts of guards: `advice` is for those.
    """

    frame: int
    title: str
    compile_id: str
    failures: tuple[tuple[str, str], ...]
    advice: str
    limit_hit: bool
    causes: tuple[CauseView, ...] = ()
    changes: ChangesView | None = None


class GuardsView(Struct, frozen=True, kw_only=True):
    """All guards in frame order, the recompilations before them, and how long a check takes.

    `refusals` are calls that a stance or a setting kept from being compiled.
    """

    guards: tuple[GuardView, ...]
    recompiles: tuple[RecompileView, ...]
    costs: tuple[GuardCostView, ...] = ()
    refusals: tuple[RefusalView, ...] = ()


def build(recording: Recording, places: Places) -> GuardsView:
    """Guards in frame order, grouped by the value they check; those on the state come last."""
    names = frame_names(recording)
    compilations = Compilations(recording)
    known: set[_Told] = set()
    followed = what_followed(recording.recompiles, compilations.guards)
    return GuardsView(
        guards=tuple(
            _guard(*item, places, followed.get(at, ""))
            for at, item in enumerate(compilations.guards)
        ),
        recompiles=tuple(
            _recompile(item, names, compilations, places, known) for item in recording.recompiles
        ),
        costs=costs.build(recording),
        refusals=refusals.build(recording, places),
    )


def _guard(guard: Guard, compile_ids: tuple[str, ...], places: Places, failed: str) -> GuardView:
    line = places.own_line(guard.stack)
    return GuardView(
        kind=guard.kind,
        source=guard.source,
        expressions=_telling(guard.expressions),
        where=places.where(line) if line else "",
        entity=entity_if_known(line),
        frame=guard.frame,
        compile_id=guard.compile_id,
        text=demands(guard.expressions),
        is_state=is_of_state(guard),
        compile_ids=compile_ids,
        failed=failed,
    )


# For each tensor, five guards check if its sizes were marked dynamic: they hardly ever fail.
_UNMARKED = re.compile(r"(hasattr\(.*, '_dynamo_)\w*(_indices'\) == False)")

_FOLDED = re.compile("'_dynamo_\N{HORIZONTAL ELLIPSIS}_indices'")


def _telling(expressions: Sequence[str]) -> tuple[str, ...]:
    """The expressions, with those on dynamic marks merged into one that comes last."""
    folded = (_UNMARKED.sub("\\1\N{HORIZONTAL ELLIPSIS}\\2", text) for text in expressions)
    return tuple(sorted(dict.fromkeys(folded), key=lambda text: bool(_FOLDED.search(text))))


def _in_own_names(item: Recompile, compilations: Compilations) -> Recompile:
    """The recompilation, with arguments of a wrapper named as the wrapped function names them."""
    frame = compilations.recorded[item.frame]
    failed = tuple(with_parameters(one, frame) for one in item.failed)
    told = tuple((earlier, in_own_words(text, frame)) for earlier, text in item.failures)
    return replace(item, failed=failed, failures=told)


def _recompile(
    item: Recompile,
    names: Sequence[str],
    compilations: Compilations,
    places: Places,
    known: set[_Told],
) -> RecompileView:
    found = [failed_guard(one, compilations.guards) for one in item.failed]  # by their own names
    item = _in_own_names(item, compilations)
    causes = tuple(_causes(item, found, compilations, places, known))
    last = item.failed[0].compile_id if item.failed else ""
    return RecompileView(
        frame=item.frame,
        title=f"{names[item.frame]} {_what_happened(item, compilations)}",
        compile_id=item.compile_id,
        failures=item.failures,
        advice=_fresh_advice(item, known) if item.limit_hit or not causes else "",
        limit_hit=item.limit_hit,
        causes=causes,
        changes=None if item.limit_hit else changes(compilations, last, item.compile_id),
    )


def _what_happened(item: Recompile, compilations: Compilations) -> str:
    if not item.limit_hit:
        came = compilations.has_code(item.compile_id)
        return "was compiled again" if came else "was compiled again, and no code came of it"
    if any(compilations.frames.get(one) == item.frame for one, _ in item.failures):
        return f"was compiled too often: {at_the_limit([item])}"
    return (
        "runs eagerly: PyTorch calls its own modules by one function, and what it compiled for "
        "others reached the limit"
    )


def _causes(
    item: Recompile,
    found: Sequence[int | None],
    compilations: Compilations,
    places: Places,
    known: set[_Told],
) -> Iterator[CauseView]:
    """Each change, once, with all the earlier code that it rules out.

    Advice that an earlier compilation of the frame has for the same value is there: it is `known`.
    """
    alike: dict[str, list[FailedGuard]] = {}
    guards: dict[str, int] = {}
    for failed, at in zip(item.failed, found, strict=True):
        text = describe(failed)
        alike.setdefault(text, []).append(failed)
        if at is not None:
            guards.setdefault(text, at)
    for text, group in alike.items():
        line = next((at for failed in group if (at := places.own_line(failed.stack))), None)
        yield CauseView(
            text=text,
            earlier=tuple(failed.compile_id for failed in group),
            check=group[0].text,
            where=places.where(line) if line else "",
            entity=entity_if_known(line),
            remedies=tuple(_fresh(text, group[0], item, compilations, known)),
            guard=f"guard:{guards[text]}" if text in guards else "",
        )


def _fresh(
    text: str,
    failed: FailedGuard,
    item: Recompile,
    compilations: Compilations,
    known: set[_Told],
) -> Iterator[Remedy]:
    """The remedies that no change of this value has had before; none if this very one had some."""
    if (item.frame, text, "", "") in known:
        return
    known.add((item.frame, text, "", ""))
    subject = cause(failed).subject
    for remedy in _remedies(failed, item, compilations):
        told = (item.frame, subject, remedy.text, remedy.code)
        if told not in known:
            yield remedy
        known.add(told)


def _remedies(
    failed: FailedGuard, item: Recompile, compilations: Compilations
) -> tuple[Remedy, ...]:
    """What to do; nothing about a value that other earlier code leaves open already."""
    found = cause(failed)
    leaving = compilations.leaving_open(found.subject, item)
    others = [one for one in leaving if one != failed.compile_id]
    if found.kind in ("size", "value") and others:
        return (Remedy(text=f"Already dynamic in {listed(others)}: see what rules that out."),)
    if found.kind == "dtype":  # one for all: going to and fro, each would be advised the other's
        first = compilations.first_dtype(item.frame, found.subject)
        found = replace(found, was=first or found.was)
    return advice_on(found, compilations.dynamic(item.compile_id))


_LIMIT = (
    "The code compiled before is still used where its guards hold: only {then}. Find what changes "
    "between calls: a size can be marked as dynamic, a number that the code only computes with can "
    "be a tensor; a container of another length, another object or another text needs code of its "
    "own. {limit}"
)
_OF_ITEM = (
    r"___stack\d+['\"\]]*\s*==\s*-?\d",
    NUMBER_OF_A_BREAK,
)
_ADVICE = (
    (
        r"size mismatch|\.size\(\)|\.shape|stride mismatch|rank mismatch|Eq\(|Ne\(|"
        r"check_tensor_dims",
        "A size changed. If it keeps changing, compile with `dynamic=True`, or mark that "
        "dimension with `torch._dynamo.mark_dynamic(tensor, dimension)` before the first call.",
    ),
    (
        r"dtype mismatch|dtype",
        "A tensor's dtype changed. Convert it before the call: each dtype needs its own code.",
    ),
    (
        r"requires_grad",
        "A tensor was passed with and without gradients: each needs its own code. Use the same "
        "for every call, or expect one compilation for each.",
    ),
    (
        r"grad_mode|GLOBAL_STATE|Global state",
        "A global setting changed, such as `torch.no_grad`. Use the same one for every call.",
    ),
    (
        r"device mismatch",
        "A tensor moved to another device: each device needs its own code.",
    ),
    (
        r"type_id|check_obj_id|type mismatch|expected type",
        "A value of another type or another object was passed. Pass the same one, or a tensor.",
    ),
    _OF_ITEM,
    (
        r"==|EQUALS",
        "Python numbers and strings are compiled in as constants. Pass what changes as a tensor, "
        "or set `torch._dynamo.config.allow_unspec_int_on_nn_module` for a module's own integers, "
        "where no global leads to the module.",
    ),
)


def _fresh_advice(item: Recompile, known: set[_Told]) -> str:
    """Advice for each kind of failure that no earlier compilation of the frame has."""
    told = {text: (item.frame, "", text, "") for text in _advice(item)}
    fresh = [text for text, one in told.items() if one not in known]
    known.update(told.values())
    return " ".join(fresh)


def _advice(item: Recompile) -> Iterator[str]:
    """Advice for each kind of failure, the latest earlier compilation first."""
    if item.limit_hit:
        yield _LIMIT.format(then=at_the_limit([item]), limit=limit_told(item))
        return
    latest_first = sorted(item.failures, key=lambda failure: _order(failure[0]), reverse=True)
    yield from filter(None, (_advice_on(guard) for _, guard in latest_first))


def _advice_on(guard: str) -> str:
    check = guard.partition("  # ")[0]  # the rest is the user's line, which may contain anything
    return next((text for pattern, text in _ADVICE if re.search(pattern, check)), "")


def _order(compile_id: str) -> tuple[int, ...]:
    """Compile ids in their order: "0/10" is later than "0/9"."""
    return tuple(int(number) for number in re.findall(r"\d{1,9}", compile_id))

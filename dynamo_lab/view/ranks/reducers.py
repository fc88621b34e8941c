"""What modules under DDP reduce, bucket by bucket, and the settings that may make a step faster."""

from collections.abc import Iterator, Sequence
from itertools import count

from msgspec import Struct

from dynamo_lab.model.ranks.reducers import Reduced, Reducer
from dynamo_lab.view.core.places import entity_if_known
from dynamo_lab.view.core.words import listed, plural, size
from dynamo_lab.view.ranks.fixes import JobFix, concerning, fixes_of
from dynamo_lab.view.ranks.known import Known
from dynamo_lab.view.ranks.mesh.groups import GroupKey, group_words

HEAD = ("bucket", "bytes", "parameters")
MORE = "also to try"
"""The column of settings that would not change each bucket, where there are such."""
_NAMES = 6


class SettingView(Struct, frozen=True, kw_only=True):
    """A setting to try: `code` is what to write, `call` has a living job try it."""

    name: str
    sentence: str
    code: str
    call: str


class ReducedView(Struct, frozen=True, kw_only=True):
    """A bucket: `cells` are in the columns of `HEAD`; `parameters` are all names, if known.

    `settings` are names of `DdpView.settings` that would change it and not every other one.
    """

    cells: tuple[str, ...]
    parameters: tuple[str, ...]
    settings: tuple[str, ...] = ()


class ReducerView(Struct, frozen=True, kw_only=True):
    """A module under DDP: `line` is the entity of the line that wrapped it, `where` its words.

    `settings` are names of `DdpView.settings` that would change each of its buckets.
    """

    sentence: str
    where: str
    text: str
    line: str
    head: tuple[str, ...]
    buckets: tuple[ReducedView, ...]
    settings: tuple[str, ...] = ()


class DdpView(Struct, frozen=True, kw_only=True):
    """The modules of the first rank that are under DDP, and what can be tried with all of them.

    `can_try` is whether the job still has its program, and a kernel that shows it can try.
    """

    reducers: tuple[ReducerView, ...]
    settings: tuple[SettingView, ...]
    can_try: bool = False


def build(one: Known | None, *, can_try: bool) -> DdpView | None:
    """What a rank's modules under DDP reduce; None where it has none."""
    if one is None or not one.rank.reducers:
        return None
    fixes = fixes_of(one.recording)
    return DdpView(
        reducers=tuple(_reducer(one, reducer, fixes) for reducer in one.rank.reducers),
        settings=tuple(
            SettingView(
                name=fix.name,
                sentence=fix.sentence,
                code=fix.code,
                call=f'job.try_fix("{fix.name}")',
            )
            for fix in fixes
        ),
        can_try=can_try,
    )


def _reducer(one: Known, reducer: Reducer, fixes: Sequence[JobFix]) -> ReducerView:
    line = None if reducer.span is None else one.places.line_of(reducer.span)
    shown = reducer.rebuilt or reducer.initial
    each = [concerning(bucket, fixes) for bucket in shown]
    common = tuple(name for name in (each[0] if each else ()) if all(name in own for own in each))
    more = [tuple(name for name in own if name not in common) for own in each]
    return ReducerView(
        sentence=" ".join(_sentences(one, reducer)),
        where="" if line is None else one.places.where_named(line),
        text="" if line is None else one.places.text(line).strip(),
        line=entity_if_known(line),
        head=(*HEAD, MORE) if any(more) else HEAD,
        buckets=tuple(map(_bucket, count(), shown, more)),
        settings=common,
    )


def _sentences(one: Known, reducer: Reducer) -> Iterator[str]:
    ranks = next((each.ranks for each in one.rank.groups if each.name == reducer.group), ())
    group = group_words(GroupKey(reducer.group, ranks), one.rank)
    whole = size(sum(bucket.bytes for bucket in reducer.initial))
    first = len(reducer.initial)
    yield f"DDP reduces {whole} of gradients over {group}, in the first step in {_buckets(first)}."
    if reducer.rebuilt is None:
        yield (
            "Whether it has cut them anew since is not known: it does so once, before the second "
            "step, unless it looks for unused parameters."
        )
    elif reducer.rebuilt != reducer.initial:
        now = _buckets(len(reducer.rebuilt))
        yield f"Since the second step it is {now}, in the order in which gradients come."
    if reducer.limit:
        full = size(reducer.limit)
        yield f"A bucket is full once it has come to {full}; the first may be full before."


def _buckets(count: int) -> str:
    return "one bucket" if count == 1 else plural(count, "bucket")


def _bucket(at: int, bucket: Reduced, settings: tuple[str, ...]) -> ReducedView:
    names = bucket.parameters
    return ReducedView(
        cells=(f"{at}", size(bucket.bytes), listed(list(names), _NAMES) or "?"),
        parameters=names,
        settings=settings,
    )

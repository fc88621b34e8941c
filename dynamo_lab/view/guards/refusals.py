"""Calls that a stance or a setting kept from being compiled: what kept them, why, what to do."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model.guards.guards import FailedGuard, Refusal
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.places import Places, entity_if_known
from dynamo_lab.view.core.words import first_up, listed, plural
from dynamo_lab.view.guards.advice import advice_on
from dynamo_lab.view.guards.dynamic import Dynamic
from dynamo_lab.view.guards.failing import cause
from dynamo_lab.view.guards.own_names import with_parameters
from dynamo_lab.view.guards.remedy import Remedy


class RefusalView(Struct, frozen=True, kw_only=True):
    """What became of calls of a frame, by which stance or setting, and what to do.

    `where` is the line of the first such call, `set_at` the line that set the stance; empty where
    that is not known. `reasons` say which guards did not hold for it, and of which code.
    """

    frame: int
    title: str
    text: str
    where: str
    entity: str
    set_at: str
    set_entity: str
    reasons: tuple[str, ...]
    remedies: tuple[Remedy, ...]
    is_error: bool = False


_BECAME = {
    "raised": ("was refused with an error", "were refused with an error each"),
    "eager": ("ran eagerly", "ran eagerly"),
    "unchecked": (
        "ran code that was compiled for other values",
        "ran code that was compiled for other values",
    ),
}
_FORCED = "It ran nothing that was compiled, whatever code there was."
_NO_CODE = "no code had been compiled for it."
_UNKNOWN = "why none of the code that there was fits is not known."
_FIRST = (
    "Make the first calls before the stance is set. A recording forgets what was compiled before "
    "it began, unless it is made with `fresh=False`."
)
_ADVICE = {
    "force_eager": "This stance is for looking at the program uncompiled. To have it compiled:",
    "error_on_recompile": "To have such calls compiled instead, for which this is the default:",
    "unchecked": "Have all guards checked:",
    "": "Have calls like this one compiled before the stance is set, or leave the stance:",
}
_DEFAULT = 'torch.compiler.set_stance("default")'
_ALLOWED = "torch._dynamo.config.error_on_recompile = False"


def build(recording: Recording, places: Places) -> tuple[RefusalView, ...]:
    """The refusals, in the order of their first calls."""
    names = frame_names(recording)
    return tuple(_view(item, names[item.frame], recording, places) for item in recording.refusals)


def _view(item: Refusal, name: str, recording: Recording, places: Places) -> RefusalView:
    frame = recording.frames[item.frame]
    failed = tuple(with_parameters(one, frame) for one in item.failed)
    return RefusalView(
        frame=item.frame,
        title=title(item, name),
        text=f"{_set(item, places)} {_meaning(item)}",
        where="" if item.called_at is None else places.where_span(item.called_at),
        entity=_entity(item.called_at, places),
        set_at="" if item.set_at is None else places.where_span(item.set_at),
        set_entity=_entity(item.set_at, places),
        reasons=tuple(map(first_up, _reasons(item, failed))),
        remedies=tuple(_remedies(item, failed)),
        is_error=item.effect == "raised",
    )


def is_forced(item: Refusal) -> bool:
    """Whether the stance runs every call eagerly, fit or not."""
    return "force_eager" in item.by


def title(item: Refusal, name: str) -> str:
    """'2 calls of f ran eagerly'."""
    became = _BECAME[item.effect][item.times > 1]
    return f"{plural(item.times, 'call')} of {name} {became}"


def told(recording: Recording, places: Places) -> Iterator[str]:
    """A sentence for each refusal, such as '1 call of `f` ran eagerly (...): `n` was 2, now 3.'."""
    names = frame_names(recording)
    for item in recording.refusals:
        at = "" if item.set_at is None else f", set on {places.where_span(item.set_at)}"
        why = f": {reason}" if (reason := next(iter(_reasons(item, item.failed)), "")) else "."
        said = title(item, f"`{names[item.frame]}`")
        yield f"{said} (`{item.by}`{at}){why}"


def _entity(span: int | None, places: Places) -> str:
    return "" if span is None else entity_if_known(places.line_of(span))


def _set(item: Refusal, places: Places) -> str:
    """What did it, and which line set that, if that was seen."""
    at = "" if item.set_at is None else f", set on {places.where_span(item.set_at)},"
    return f"That is what `{item.by}`{at} does."


def _meaning(item: Refusal) -> str:
    if is_forced(item):
        return _FORCED
    if "error_on_recompile" in item.by:
        return "A call that fits no compiled code is an error under it, not compiled again."
    if "skip_guard_eval_unsafe" in item.by:
        return (
            "Only those guards are checked that told the compiled codes apart; a call that fails "
            "all of these is an error. One that fails others alone is not noticed, and what it "
            "returns may be wrong."
        )
    then = "an error" if item.effect == "raised" else "left to Python"
    return f"Nothing is compiled under it: a call that fits no compiled code is {then}."


def _reasons(item: Refusal, failed: Sequence[FailedGuard]) -> Iterator[str]:
    """What changed, once, with the codes that it rules out; or that there was no code."""
    if is_forced(item):
        return
    if not failed:
        yield _UNKNOWN if item.had_code else _NO_CODE
    alike: dict[str, list[str]] = {}
    for one in failed:
        alike.setdefault(cause(one).text, []).append(one.compile_id)
    for text, ids in alike.items():
        yield f"{text}, which rules out {listed(ids)}."


def _remedies(item: Refusal, failed: Sequence[FailedGuard]) -> Iterator[Remedy]:
    """What to do about the stance, then what about each value."""
    if is_forced(item):
        yield Remedy(text=_ADVICE["force_eager"], code=_DEFAULT)
        return
    if not item.had_code:
        yield Remedy(text=_FIRST)
        return
    if "error_on_recompile" in item.by:
        yield Remedy(text=_ADVICE["error_on_recompile"], code=_ALLOWED)
    else:
        yield Remedy(text=_ADVICE.get(item.effect, _ADVICE[""]), code=_DEFAULT)
    nothing = Dynamic(has_code=False, is_refused=True)
    found = (remedy for one in failed for remedy in advice_on(cause(one), nothing))
    yield from {remedy.text: remedy for remedy in found}.values()

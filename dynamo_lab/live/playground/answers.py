"""What a view asks of the playground, and its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.errors import LoweringError
from dynamo_lab.live.playground.playground import Playground
from dynamo_lab.model import targets
from dynamo_lab.view.kernels.assembly import AssemblyView, assembly_view
from dynamo_lab.view.kernels.kernels import KernelsView
from dynamo_lab.view.playground import (
    DraftPage,
    DraftView,
    PlaygroundView,
    edit_of,
    facts_of,
    inputs_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.live.playground.playground import Draft
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.recording import Recording


def _ground(recording: Recording, session: Session) -> Playground:
    """The playground of a session, made at the first question.

    Raises:
        LoweringError: there is no program, or its text is not known.
    """
    ground = session.ground
    if not isinstance(ground, Playground):
        ground = session.ground = Playground(recording, session.program)
    return ground


def opened(recording: Recording, session: Session) -> PlaygroundView:
    """The text to change."""
    ground = _ground(recording, session)
    choice = ground.choice()
    offered = ((name, targets.parse(name)) for name in targets.known())
    return PlaygroundView(
        text=ground.text,
        name=ground.of.name,
        target=choice.target,
        targets=tuple((name, one.title) for name, one in offered if one),
        backend=str(choice.backend),
        dynamic=choice.dynamic,
        mode=choice.mode,
        inputs=inputs_of(recording),
        reading=ground.of.reading,
        source=ground.of.source,
        above=ground.of.above,
    )


def drafted(
    recording: Recording, session: Session, column: str, text: str, how: dict[str, Any]
) -> Callable[[], DraftView]:
    """Begin to lower a text, and give what waits for its view."""
    ground = _ground(recording, session)
    known = {name: how[name] for name in ("target", "backend", "dynamic", "mode") if name in how}
    wait = ground.begin(text, ground.choice(**known), column)

    def view() -> DraftView:
        draft = wait()
        session.drafts[column] = draft
        return _view(recording, ground, draft)

    return view


def _view(recording: Recording, ground: Playground, draft: Draft) -> DraftView:
    from dynamo_lab.view import build

    facts = draft.facts
    kernels = build(facts).kernels if facts is not None else KernelsView(kernels=(), wrappers=())
    of = ground.of
    return DraftView(
        kernels=kernels,
        diagnostics=draft.diagnostics,
        has_failed=draft.has_failed,
        facts="" if facts is None else facts_of(facts),
        source=draft.source,
        idle=draft.idle,
        edit=edit_of(recording, of.source, of.above, of.text, draft.text),
    )


def assembled(
    recording: Recording, session: Session, column: str, kernel: int
) -> Callable[[], AssemblyView]:
    """Begin to assemble a kernel of what a column shows, and give what waits for it.

    Raises:
        LoweringError: it shows no such kernel.
    """
    draft: Draft | None = session.drafts.get(column)
    if draft is None or draft.facts is None or not 0 <= kernel < len(draft.facts.kernels):
        raise LoweringError("There is no such kernel any more: change the text, or open it again.")
    facts = draft.facts
    wait = _ground(recording, session).assemble(facts, kernel)

    def view() -> AssemblyView:
        found = wait()
        if session.drafts.get(column) is draft:  # so that a page has it
            kept = (*(one for one in facts.assemblies if one.kernel != kernel), found)
            session.drafts[column] = structs.replace(
                draft, facts=structs.replace(facts, assemblies=kept)
            )
        return assembly_view(found)

    return view


def page_of(session: Session, columns: Sequence[str]) -> DraftPage:
    """One offline page of what these columns show.

    Raises:
        LoweringError: none of them shows anything.
    """
    from dynamo_lab.render.page import page, page_of_several
    from dynamo_lab.view import build
    from dynamo_lab.view.compare.side_by_side import together

    shown: dict[str, Recording] = {}
    for column in columns:
        draft: Draft | None = session.drafts.get(column)
        if draft is not None and draft.facts is not None:
            label = f"{draft.choice.target}, {draft.choice.backend}"
            while label in shown:
                label = f"{label}, beside it"
            shown[label] = draft.facts
    if not shown:
        raise LoweringError("There is nothing to save yet: nothing here was lowered.")
    facts = next(iter(shown.values()))
    html = page(build(facts)) if len(shown) == 1 else page_of_several(together(shown))
    return DraftPage(name="playground.html", html=html)

"""Another update of a planned training step, planned while its model lives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import TinyError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynamo_lab.live.session import Session
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.view import View


def ask(recording: Recording, session: Session, update: Mapping[str, Any]) -> Callable[[], View]:
    """All that is to be shown of the plan of an update, as a function that makes it in a moment.

    It is a view of its own, so that no part of it tells of another plan.

    Args:
        recording: The planned step, and
        session: what lives of it.
        update: For names of parameters "all" or a share of their input channels.

    Raises:
        TinyError: it is no planned step, or its model lives no more.
    """
    if recording.training is None or session.replan is None:
        raise TinyError("This plan's model lives no more: plan it again with lab.tiny.")
    return partial(_planned, session.replan, update)


def _planned(replan: Callable[[Mapping[str, Any]], Recording], update: Mapping[str, Any]) -> View:
    from dynamo_lab.view import build

    return build(replan(update))

"""Another update of a planned training step, planned while its model lives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import TinyError
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.tiny.tiny import PlanWords, TrainingPlanView

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynamo_lab.live.session import Session
    from dynamo_lab.model.recording import Recording


def ask(
    recording: Recording, session: Session, update: Mapping[str, Any]
) -> Callable[[], TrainingPlanView]:
    """The plan of an update, as a function that makes it: it takes a moment.

    `update` gives for names of parameters "all" or a share of their input channels.

    Raises:
        TinyError: it is no planned step, or its model lives no more.
    """
    if recording.training is None or session.replan is None:
        raise TinyError("This plan's model lives no more: plan it again with lab.tiny.")
    return partial(_planned, recording, session.replan, update)


def _planned(
    recording: Recording, replan: Callable[[Mapping[str, Any]], Any], update: Mapping[str, Any]
) -> TrainingPlanView:
    assert recording.training is not None
    words = PlanWords(recording.graphs[recording.training.graph], Places(recording))
    return words.view(replan(update))

"""The switches that a recorded program can be lowered again with, and their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dynamo_lab.model import targets
from dynamo_lab.record import switches
from dynamo_lab.record.lower import at_hand, find_target, target_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.live.session import Session
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Choice

Value = bool | int | str | None


class SwitchState(Struct, frozen=True, kw_only=True):
    """A switch with the values to choose from, and the current one."""

    name: str
    key: str
    topic: str
    sentence: str
    values: tuple[Value, ...]
    value: Value
    is_count: bool


class Panel(Struct, frozen=True, kw_only=True):
    """The current target, all targets by name and title, and the switches relevant to it."""

    target: str
    targets: tuple[tuple[str, str], ...]
    switches: tuple[SwitchState, ...]


def ask(recording: Recording, session: Session, target: str, chosen: dict[str, Value]) -> Panel:
    """The values of the switches with `target` (the recording's own if empty) and `chosen`.

    Raises:
        LoweringError: there is no program to lower again.
        OptionError: there is no such target or switch, or the value is invalid.
    """
    arguments, settings = switches.settings(chosen)
    choice = at_hand(session.program).choice
    found = find_target(target or target_of(recording, choice))
    offered = ((name, targets.parse(name)) for name in targets.known())
    return Panel(
        target=found.name,
        targets=tuple((name, one.title) for name, one in offered if one),
        switches=tuple(_states(choice, arguments, settings, found.kind)),
    )


def _states(
    choice: Choice, arguments: dict[str, Any], settings: dict[str, Any], kind: str
) -> Iterator[SwitchState]:
    from dynamo_lab.capture.targets.lowered import settings_in_force

    compilation: dict[str, Any] = {"mode": choice.mode, "dynamic": choice.dynamic, **arguments}
    in_force = settings_in_force(compilation["mode"], compilation["dynamic"])
    known = {**in_force, **choice.settings, **settings, **compilation}
    for switch in switches.SWITCHES:
        if switch.key not in known or (switch.targets and kind not in switch.targets):
            continue
        value = known[switch.key]
        value = value if isinstance(value, Value) else str(value)
        is_offered = any(value == one and type(value) is type(one) for one in switch.values)
        yield SwitchState(
            name=switch.name,
            key=switch.key,
            topic=switch.topic,
            sentence=switch.sentence,
            values=switch.values if is_offered else (value, *switch.values),
            value=value,
            is_count=any(type(one) is int for one in switch.values),
        )

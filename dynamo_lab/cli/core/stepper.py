"""The stepper of the terminal: the keyboard, and one screen per step."""

import sys
from collections.abc import Callable

from rich.console import Console
from rich.live import Live

from dynamo_lab.errors import OptionError
from dynamo_lab.render.terminal import steps
from dynamo_lab.view import View
from dynamo_lab.view.steps.playback import Playback, Stop

_MOVES: dict[str, tuple[Stop, bool]] = {
    "right": ("step", True), "left": ("step", False), " ": ("step", True),
    "down": ("over", True), "up": ("out", True), "o": ("over", True), "u": ("out", True),
    "b": ("break", True), "B": ("break", False), "n": ("node", True), "N": ("node", False),
    "g": ("guard", True), "G": ("guard", False), "a": ("attempt", True), "A": ("attempt", False),
}  # fmt: skip


def play(
    view: View,
    at: int,
    *,
    read_key: Callable[[], str] | None = None,
    console: Console | None = None,
) -> None:
    """Show one step after another, as the keyboard asks for them, from step `at` (from 1).

    Raises:
        OptionError: there are no steps, no such step, or no terminal to read keys from.
    """
    playback = playback_of(view)
    if not 1 <= at <= len(playback):
        raise OptionError(f"There is no step {at}: pass 1 to {len(playback)}.")
    if read_key is None:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise OptionError("Stepping needs a terminal with a keyboard: pass --list to print.")
        read_key = _read_key
    console = console or Console(markup=False, emoji=False, highlight=False)
    step = at - 1
    with Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            shown = steps.screen(view, playback.moment(step), len(playback), *console.size)
            live.update(shown, refresh=True)
            key = read_key()
            if key in ("q", "escape", ""):
                return
            step = moved(playback, step, key)


def moved(playback: Playback, step: int, key: str) -> int:
    """The step that a key leads to."""
    if key in ("home", "end"):
        return 0 if key == "home" else len(playback) - 1
    if key not in _MOVES:
        return step
    stop, forward = _MOVES[key]
    return playback.move(step, stop, forward)


def playback_of(view: View) -> Playback:
    """The playback of a view's steps.

    Raises:
        OptionError: no steps were recorded.
    """
    if view.steps is None or not view.steps.call:
        raise OptionError(
            "The recording has no steps: record it with `dynamo-lab explore SCRIPT --steps "
            '--json FILE`, `%%compile --steps` or `detail="steps"`.'
        )
    return Playback(view.steps)


def _read_key() -> str:
    import readchar  # needs a keyboard

    names = {
        readchar.key.LEFT: "left", readchar.key.RIGHT: "right",
        readchar.key.UP: "up", readchar.key.DOWN: "down",
        readchar.key.HOME: "home", readchar.key.END: "end",
        "\x1b[1~": "home", "\x1b[4~": "end", "\x1bOH": "home", "\x1bOF": "end",
        readchar.key.ESC: "escape", "\x03": "q",
    }  # fmt: skip
    try:
        key = readchar.readkey()
    except KeyboardInterrupt:
        return "q"
    return names.get(key, key)

"""How a notebook shows recordings: theme, recorded detail, place, and whether it keeps them.

What `%lab` chose takes precedence over JupyterLab's settings, and these over the defaults.
JupyterLab's settings arrive in a message before each cell that uses a command of ours.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.render.widget import Looks

CHOICES: dict[str, tuple[str, ...]] = {
    "theme": ("auto", "light", "dark"),
    "detail": ("normal", "steps"),
    "display": ("below", "panel", "marks"),
    "keep": ("on", "off"),
    "evaluate": ("on", "off"),
}
"""The settings and their values, the default first."""

_OF_NOTEBOOK_ALONE = ("evaluate",)
"""What no message from a browser may set: it guards against such messages."""

VARIABLE = "DYNAMO_LAB_EVALUATE"
"""The environment variable that turns evaluating off for every notebook, whatever it chooses."""

EVALUATES_NOTHING = (
    f"Views evaluate and run nothing here: `%lab --evaluate off` or {VARIABLE}=off is set."
)

_NAME = "dynamo_lab"


class Settings:
    """The settings of one notebook, and what it recorded last."""

    def __init__(self) -> None:
        self._chosen: dict[str, str] = {}
        self._told: dict[str, str] = {}
        self.last: Recording | None = None
        self.logs = ""
        """What cells record of PyTorch's logs, as `TORCH_LOGS` names them."""

    def choose(self, **values: str) -> None:
        """Set these until the kernel ends.

        Raises:
            OptionError: there is no such setting, or the value is invalid.
        """
        for name, value in values.items():
            if value not in CHOICES.get(name, ()):
                raise OptionError(_refusal(name, value))
        self._chosen.update(values)

    def hear(self, told: Any) -> None:
        """Take JupyterLab's settings, as far as they are valid."""
        values = cast("dict[str, str]", told) if isinstance(told, dict) else {}
        self._told = {n: v for n in _told_by_browsers() if (v := values.get(n, "")) in CHOICES[n]}

    @property
    def evaluates(self) -> bool:
        """Whether a view may have this process evaluate a text, build an edit, or run a program."""
        return os.environ.get(VARIABLE, "").lower() != "off" and self["evaluate"] == "on"

    def __getitem__(self, name: str) -> str:
        return self._chosen.get(name) or self._told.get(name) or CHOICES[name][0]

    def looks(self, place: str | None = None) -> Looks:
        """How to show a recording, in `place` or where the settings say."""
        from dynamo_lab.render.widget import Looks

        return Looks(place or self["display"], self["theme"], keeps=self["keep"] == "on")

    def looks_on_demand(self) -> Looks:
        """How to show a recording on request: never only by marks."""
        return self.looks("below" if self["display"] == "marks" else None)

    def __str__(self) -> str:
        told = [f"{name} {self[name]}" for name in ("theme", "detail", "display")]
        told += ["keep off"] if self["keep"] == "off" else []
        return ", ".join(told if self.evaluates else [*told, "evaluate off"])


def _told_by_browsers() -> list[str]:
    return [name for name in CHOICES if name not in _OF_NOTEBOOK_ALONE]


def _refusal(name: str, value: str) -> str:
    if name not in CHOICES:
        return f"There is no setting {name!r}: use one of {', '.join(CHOICES)}."
    return f"There is no {name} {value!r}: use one of {', '.join(CHOICES[name])}."


def settings() -> Settings:
    """The settings of the notebook that this runs in; the defaults if there is none."""
    from IPython.core.getipython import get_ipython

    return settings_of(get_ipython())


def settings_of(shell: Any) -> Settings:
    """The settings of this shell, which stores them."""
    kept: Any = getattr(shell, "meta", None)  # IPython's place for what extensions keep
    if kept is None:
        return Settings()
    if not isinstance(kept.get(_NAME), Settings):
        kept[_NAME] = Settings()
    return kept[_NAME]


def listen(shell: Any) -> None:
    """Listen for JupyterLab's settings, if there is a kernel that can receive them."""
    comms: Any = getattr(getattr(shell, "kernel", None), "comm_manager", None)
    if comms is None:
        return

    def heard(_: Any, message: dict[str, Any]) -> None:
        settings_of(shell).hear(message.get("content", {}).get("data"))

    comms.register_target(_NAME, heard)

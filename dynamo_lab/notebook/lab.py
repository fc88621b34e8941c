"""`%lab` shows the last recording next to the notebook, and sets how recordings are shown."""

from __future__ import annotations

import argparse
from typing import Any

from dynamo_lab.api.recording import Recording
from dynamo_lab.api.settings import CHOICES, Settings, settings_of
from dynamo_lab.api.side_by_side import SideBySide
from dynamo_lab.errors import CellError
from dynamo_lab.notebook.parsers import Parser
from dynamo_lab.record.recorders import refuse_unknown_logs

_LAB = """\
Show the last recording next to the notebook, or one by its name.

    %lab
    %lab rec

JupyterLab with dynamo_lab's extension shows it in a panel on the right, where it stays while you
scroll; `%lab` again updates it. Elsewhere it is shown below the cell.

With options, it sets how recordings are shown until the kernel ends. JupyterLab's Settings Editor
has the same settings, for all notebooks.

    %lab --theme dark --detail steps --display panel

With logs, the cells that follow record what TORCH_LOGS would print, each message beside what the
views show of the same; `off` ends it.

    %lab logs +dynamo,graph_code
"""
_HELP = {
    "theme": "the colours of views: the notebook's (auto), light or dark",
    "detail": "what %%%%compile and %%%%record record: steps adds each interpreted instruction",
    "evaluate": "off: no view evaluates what is typed in it, builds an edit, or runs the program",
    "keep": "off: saved outputs hold the script-free copy alone, without the recording",
    "display": "where they show it: below the cell, in the panel, or only as marks in the cell",
}
_SHOWN = (Recording, SideBySide)
_LOGS, _OFF = "logs", "off"

_WITHOUT = "JupyterLab with dynamo_lab's extension shows it in a side panel."


def parser() -> Parser:
    """The parser of the options of `%lab`."""
    made = Parser(
        prog="%lab",
        description=_LAB,
        add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("recording", nargs="?", help="the name of a recording, or `logs`")
    made.add_argument("names", nargs="?", help="of logs, as TORCH_LOGS takes them, or `off`")
    for name, values in CHOICES.items():
        made.add_argument(f"--{name}", choices=values, help=_HELP[name])
    return made


def run(options: argparse.Namespace, shell: Any) -> None:
    """Set the given options, or show a recording.

    Raises:
        CellError: there is no recording, or no recording of this name.
    """
    settings = settings_of(shell)
    if options.recording == _LOGS and (options.names or _LOGS not in names(shell)):
        _say_logs(settings, options.names)
        return
    if options.names is not None:
        raise CellError(f"%lab takes one name: {options.names!r} is too much.")
    given = {name: getattr(options, name) for name in CHOICES if getattr(options, name)}
    settings.choose(**given)
    if given and options.recording is None:
        print(f"dynamo_lab in this notebook: {settings}.")
        return
    name, found = options.recording, _find(options.recording, shell)
    _say(f"{name}: {found.title}." if name else f"The last recording: {found.title}.")
    found.show(settings.looks("panel"))


def _say_logs(settings: Settings, asked: str | None) -> None:
    """Have cells record these logs from now on, or say which they do.

    Raises:
        OptionError: PyTorch knows no such log.
    """
    if asked is not None:
        logs = "" if asked == _OFF else asked
        if logs:
            refuse_unknown_logs(logs)
        settings.logs = logs
    if settings.logs:
        print(f"Cells record these logs: {settings.logs}. `%lab logs off` ends it.")
    else:
        print("Cells record no logs. `%lab logs +dynamo,graph_code` records these, for example.")


def names(shell: Any) -> list[str]:
    """The names of what `%lab` can show."""
    return [name for name, value in list(shell.user_ns.items()) if isinstance(value, _SHOWN)]


def _find(name: str | None, shell: Any) -> Recording | SideBySide:
    if name is None:
        return _last(shell)
    found = shell.user_ns.get(name)
    if not isinstance(found, _SHOWN):
        raise CellError(
            f"There is no recording {name!r} in this notebook: make one with "
            "`%%compile --into rec`, or `rec = lab.explore(fn, *args)`."
        )
    return found


def _last(shell: Any) -> Recording | SideBySide:
    """What was recorded or opened last: by a cell, or by a call whose result has a name."""
    held = [settings_of(shell).last, *shell.user_ns.values()]
    known = [value for value in held if isinstance(value, _SHOWN)]
    if not known:
        raise CellError(
            "Nothing is recorded in this notebook yet: put `%%compile` on top of a cell and run it."
        )
    # not by the dates in them: one opened just now may be a year old
    return max(known, key=lambda one: one.made_at)


def _say(sentence: str) -> None:
    """One sentence; where the panel exists, the extension's style sheet hides the rest of it."""
    from dynamo_lab.render.display import in_notebook, publish
    from dynamo_lab.render.markup import join, tag

    if not in_notebook():
        print(sentence)
        return
    rest = tag("span", f" {_WITHOUT}", class_="dynamo-lab-without")
    html = tag("p", join(sentence, rest), class_="dynamo-lab-said")
    publish({"text/html": html, "text/plain": f"{sentence} {_WITHOUT}"})

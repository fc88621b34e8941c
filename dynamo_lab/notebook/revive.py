"""Views of a saved notebook are live again in a kernel that has loaded `dynamo_lab`.

JupyterLab's extension asks for each, once `%load_ext dynamo_lab` ran: it has the recordings, which
stand in the notebook. What it sends is data, read as any recording is: nothing in it runs.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from dynamo_lab.api.handle import answer
from dynamo_lab.api.recording import Recording
from dynamo_lab.api.settings import settings_of
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.model.core import kept
from dynamo_lab.render.keeping import notebook_of
from dynamo_lab.render.live_views import is_live

TARGET = "dynamo_lab.kept"


def offer(shell: Any) -> None:
    """Answer the extension, if there is a kernel that it can ask."""
    comms: Any = getattr(getattr(shell, "kernel", None), "comm_manager", None)
    if comms is None:
        return

    def asked(comm: Any, message: dict[str, Any]) -> None:
        # not closed from here: each page that shows the notebook would hear of it
        comm.send(_answer(shell, message.get("content", {}).get("data")))

    comms.register_target(TARGET, asked)


def _answer(shell: Any, told: Any) -> dict[str, Any]:
    """The output with the live view; nothing where it is live already."""
    asked = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
    uid, cell = str(asked.get("uid", "")), str(asked.get("cell", ""))
    if is_live(uid, shell):
        return {}
    notebook = notebook_of(shell)
    folder = notebook.parent if notebook else Path.cwd()
    try:
        recordings = kept.unpacked(asked.get("bundle"), Recording, folder)
    except DynamoLabError as error:
        return {"error": str(error)}
    from dynamo_lab.render.reviving import revived

    looks = replace(settings_of(shell).looks("below"), is_marked=True)
    return {"output": revived(recordings, uid, cell, answer, looks)}

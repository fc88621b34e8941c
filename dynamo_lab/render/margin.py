"""What an output tells JupyterLab's extension: the marks for cells, and where a view belongs.

It travels as metadata of the output, so it is there live and in a saved notebook alike, and hosts
that do not know it pass over it.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from dynamo_lab.render.text import visible
from dynamo_lab.view import View
from dynamo_lab.view.margin import Margin, build

NAME = "dynamo_lab"
"""The key of the metadata, of the extension's messages, and of what this package keeps."""


def margins(view: View, uid: str) -> dict[str, Any]:
    """The metadata of the output that lasts; `uid` names the widget beside it."""
    return {NAME: {"uid": uid, "margins": [_plain(margin) for margin in build(view)]}}


def _plain(margin: Margin) -> Any:
    lines = tuple(replace(line, says=visible(line.says)) for line in margin.lines)
    return msgspec.to_builtins(replace(margin, lines=lines))


def place_of(place: str) -> dict[str, Any]:
    """The metadata of the widget's output: where it is to be shown."""
    return {NAME: {"place": place}}

"""What an output passes to the JupyterLab extension: marks for cells, and a view's place.

It travels as metadata of the output, so it is present both live and in a saved notebook, and hosts
that do not know it ignore it.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from dynamo_lab.render.text import visible
from dynamo_lab.view import View
from dynamo_lab.view.margin import Margin, build

NAME = "dynamo_lab"
"""The key of the metadata, of the extension's messages, and of this package's state."""


def margins(view: View, uid: str) -> dict[str, Any]:
    """The metadata of the saved output; `uid` names the widget beside it."""
    return {NAME: {"uid": uid, "margins": [_plain(margin) for margin in build(view)]}}


def _plain(margin: Margin) -> Any:
    lines = tuple(replace(line, says=visible(line.says)) for line in margin.lines)
    return msgspec.to_builtins(replace(margin, lines=lines))


def place_of(place: str, uid: str) -> dict[str, Any]:
    """The metadata of the widget's output: where it should be shown, and which view it is."""
    return {NAME: {"place": place, "uid": uid}}

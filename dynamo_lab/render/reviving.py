"""A view that is live again, of recordings that a saved notebook kept."""

from collections.abc import Mapping
from typing import Any

from IPython.core.getipython import get_ipython

from dynamo_lab.model.recording import Recording
from dynamo_lab.render.live_views import keep_live
from dynamo_lab.render.margin import place_of
from dynamo_lab.render.widget import Answer, Explorer, Looks
from dynamo_lab.view import build
from dynamo_lab.view.compare.side_by_side import together


def revived(
    recordings: Mapping[str, Recording], uid: str, cell: str, answer: Answer, looks: Looks
) -> dict[str, Any]:
    """An output with the live view that takes the place of the one named `uid`, in this cell."""
    widget = Explorer(uid, answer, looks)
    if len(recordings) == 1:
        [recording] = recordings.values()
        widget.show(recording, build(recording))
    else:
        widget.show_several(recordings, together(recordings))
    keep_live(widget, get_ipython(), cell)
    return {
        "output_type": "display_data",
        "data": widget.bundle() | {"text/plain": ""},
        "metadata": place_of("below", uid),
    }

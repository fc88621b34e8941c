"""What a cell's output keeps of its recordings, for when the kernel is gone."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.errors import DynamoLabError
from dynamo_lab.model.core import codec, kept
from dynamo_lab.view.core.words import size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.model.recording import Recording


class Keeping(NamedTuple):
    """The output's bundle of MIME types, and a sentence for its reader."""

    data: dict[str, Any]
    says: str


def keep(recordings: Mapping[str, Recording], shell: Any, cell: str) -> Keeping:
    """Keep recordings by label in an output, or beside the notebook if they are too large.

    `cell` is the host's id of the cell: what a later run of it keeps takes the place of this.
    """
    bundle = kept.packed(recordings)
    taken = kept.size(bundle)
    if taken <= kept.LIMIT:
        says = (
            f"The notebook keeps the recording ({size(taken)}): `lab.load`, given the path of the "
            "notebook, opens it again."
        )
        return Keeping({kept.MIME: bundle}, says)
    notebook = notebook_of(shell)
    name = re.sub(r"[^\w-]", "", cell, flags=re.ASCII)
    too_large = f"The recording is too large for the notebook ({size(taken)})"
    if notebook is None or not name or len(recordings) > 1:
        return Keeping({}, f"{too_large}, and is gone with the kernel: `rec.save(path)` keeps it.")
    [(label, recording)] = recordings.items()
    path = Path(kept.folder_of(notebook).name) / f"{name}.json.gz"
    try:
        (notebook.parent / path.parent).mkdir(exist_ok=True)
        codec.save(recording, notebook.parent / path)
    except (OSError, DynamoLabError):
        return Keeping({}, f"{too_large}, and could not be written beside it.")
    says = f"{too_large}: it is in `{path.as_posix()}` beside it."
    return Keeping({kept.MIME: {"file": path.as_posix(), "label": label}}, says)


NOT_KEPT = "The notebook keeps no recording: `%lab --keep on` does, `rec.save(path)` saves one."


def notebook_of(shell: Any) -> Path | None:
    """The file of the notebook, where Jupyter's server or VS Code says it."""
    told = (
        getattr(shell, "user_ns", {}).get("__vsc_ipynb_file__"),
        os.environ.get("JPY_SESSION_NAME"),
    )
    paths = [Path(one) for one in told if isinstance(one, str) and one.endswith(".ipynb")]
    return next((path for path in paths if path.is_file()), None)

"""Recordings that a notebook keeps, compressed, in the outputs of its cells.

An output has them under a MIME type of our own, which hosts that do not know it leave alone. What
is too large for that lies in a file beside the notebook, whose name stands in the output instead.
Reading runs nothing and trusts nothing in them.
"""

import base64
import binascii
import gzip
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeVar, cast

from dynamo_lab.errors import RecordingFileError
from dynamo_lab.model.core import codec
from dynamo_lab.model.recording import Recording

MIME = "application/vnd.dynamo-lab.recording+json"

LIMIT = 300_000
"""The most bytes, compressed and as text, that an output holds."""

R = TypeVar("R", bound=Recording)


class Kept(NamedTuple):
    """What one output of a notebook keeps: `bundle` is under our MIME type."""

    cell: int | None
    """The number of the cell's last run, as the notebook shows it."""
    uid: str
    bundle: Any


def packed(recordings: Mapping[str, Recording]) -> dict[str, Any]:
    """Recordings by label as an output holds them, of whatever size."""
    return {"recordings": {label: _text(one) for label, one in recordings.items()}}


def size(bundle: Mapping[str, Any]) -> int:
    """How many bytes they take in a notebook."""
    return sum(map(len, bundle["recordings"].values()))


def unpacked(bundle: Any, type: type[R] = Recording, folder: Path | None = None) -> dict[str, R]:
    """The recordings by label that an output holds, or that lie in a file in `folder`.

    Raises:
        RecordingFileError: they are damaged, or the file is not there.
    """
    found = cast("dict[str, Any]", bundle) if isinstance(bundle, dict) else {}
    if isinstance(name := found.get("file"), str):
        return {str(found.get("label", "")): codec.load(_beside(name, folder), type)}
    texts = found.get("recordings")
    if not isinstance(texts, dict) or not texts:
        raise RecordingFileError("This output of the notebook holds no recording: run its cell.")
    by_label = cast("dict[str, Any]", texts)
    return {label: _recording(text, type) for label, text in by_label.items()}


def load(path: str | Path, cell: int | None = None, type: type[R] = Recording) -> R:
    """The recording in a file, or that a notebook keeps of the cell of this number.

    Raises:
        RecordingFileError: there is no such file or cell, or it is damaged.
    """
    name = repr(os.fspath(path))
    if not os.fspath(path).endswith(".ipynb"):
        if cell is not None:
            raise RecordingFileError(f"{name} has no cells: pass a notebook, or leave out `cell`.")
        return codec.load(path, type)
    found = of_notebook(path)
    asked = [one for one in found if cell in (None, one.cell)]
    if len(asked) != 1:
        raise RecordingFileError(_refusal(name, cell, [one.cell for one in found]))
    return next(iter(unpacked(asked[0].bundle, type, Path(path).parent).values()))


def _refusal(name: str, cell: int | None, cells: list[int | None]) -> str:
    if not cells:
        return f"{name} keeps no recording: run a cell with `%%compile` in it, and save it."
    numbers = ", ".join(map(str, cells))
    if cell is None:
        return (
            f"{name} keeps recordings of cells {numbers}: pass one of them as `cell=`, or --cell."
        )
    return f"{name} does not keep one recording of cell {cell}, but of cells {numbers}."


def folder_of(notebook: Path) -> Path:
    """Where recordings lie that are too large for the notebook."""
    return notebook.with_name(f"{notebook.stem}_recordings")


def unused(notebook: Path) -> list[Path]:
    """The recordings beside the notebook that no output of the saved file refers to.

    Raises:
        RecordingFileError: the notebook is missing, or not one.
    """
    named = {str(_object(one.bundle).get("file")) for one in of_notebook(notebook)}
    folder = folder_of(notebook)
    files = sorted(folder.glob("*.json.gz"))
    return [file for file in files if f"{folder.name}/{file.name}" not in named]


def of_notebook(path: str | Path) -> list[Kept]:
    """What the outputs of a notebook keep, in the order of its cells.

    Raises:
        RecordingFileError: the file is missing, or not a notebook.
    """
    try:
        notebook = json.loads(Path(path).read_bytes())
        return list(_kept(notebook))
    except FileNotFoundError as error:
        raise RecordingFileError(f"There is no file {str(path)!r}: check the path.") from error
    except (OSError, ValueError, RecursionError) as error:
        raise RecordingFileError(f"{str(path)!r} cannot be read as a notebook.") from error


def _kept(notebook: Any) -> Iterator[Kept]:
    for cell in _objects(_object(notebook).get("cells")):
        number = cell.get("execution_count")
        for output in _objects(cell.get("outputs")):
            bundle = _object(output.get("data")).get(MIME)
            if bundle is not None:
                ours = _object(_object(output.get("metadata")).get("dynamo_lab"))
                count = number if isinstance(number, int) else None
                yield Kept(count, str(ours.get("uid", "")), bundle)


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [_object(one) for one in cast("list[Any]", value)] if isinstance(value, list) else []


def _text(recording: Recording) -> str:
    return base64.b64encode(gzip.compress(codec.encode(recording), 6, mtime=0)).decode()


def _recording(text: Any, type: type[R]) -> R:
    name = "The recording in the notebook"
    try:
        data = base64.b64decode(str(text), validate=True)
    except (binascii.Error, ValueError) as error:
        raise RecordingFileError(f"{name} is damaged: run its cell again.") from error
    return codec.decode(codec.unzipped(data, name), type, name)


def _beside(name: str, folder: Path | None) -> Path:
    """The file of this name in the folder; a notebook leads to no other place."""
    path = PurePosixPath(name)
    if folder is None or path.is_absolute() or ".." in path.parts or "\\" in name:
        raise RecordingFileError(f"The notebook's recording {name!r} is not beside it.")
    return folder / path

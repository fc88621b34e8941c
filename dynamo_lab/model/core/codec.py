"""A recording as JSON and back. Reading a file runs nothing and trusts nothing in it."""

import gzip
import io
import os
import zlib
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from dynamo_lab.errors import RecordingFileError, printable
from dynamo_lab.model.core import files
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.validate import validate

SCHEMA = 1
# The history of the format, newest first. A field with a default may be added without a new
# number; a field that is removed or changes its meaning needs one.
# 1 - (dynamo_lab 0.1.0) the first.

FORMAT = "dynamo_lab.recording"

MAX_BYTES = 512 * 1024 * 1024
"""The most JSON that `load` reads: a recording of GPT-2 takes about 10 MB, a gzip bomb any size."""

LEVEL = 6
"""Of gzip's levels: 1 takes about a third of the time, and a third more space."""

_GZIP_MAGIC = b"\x1f\x8b"

R = TypeVar("R", bound=Recording)
T = TypeVar("T")


class _Envelope(msgspec.Struct):
    format: str
    schema: int
    recording: msgspec.Raw


def encode(recording: Recording) -> bytes:
    """The recording as JSON text in UTF-8."""
    recording.decompositions.whole()  # msgspec reads fields without asking for them
    return as_json({"format": FORMAT, "schema": SCHEMA, "recording": recording})


def as_json(facts: Any) -> bytes:
    """Facts or views as JSON text in UTF-8, whatever their texts contain."""
    try:
        return msgspec.json.encode(facts)
    except UnicodeEncodeError:  # a file name that is not UTF-8, a source with half a surrogate pair
        return msgspec.json.encode(mended(msgspec.to_builtins(facts, str_keys=True)))


def decode(data: bytes, type: type[R] = Recording, name: str = "the data") -> R:
    """The recording in `data`, as the class `type`; `name` is what an error calls the data."""
    if data[:200].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        raise refusal(name, "is a page to open in a browser, not a recording")
    if data[:200].lstrip().startswith(b'{"format":"dynamo_lab.job"'):
        raise RecordingFileError(
            f"{name} holds the recordings of several ranks: open it with dynamo_lab.open_job, "
            "or `dynamo-lab join`."
        )
    envelope = parse(data, _Envelope, name, "is not a dynamo_lab recording")
    if envelope.format != FORMAT or envelope.schema < 1:
        raise refusal(name, "is not a dynamo_lab recording: it has another format")
    if envelope.schema > SCHEMA:
        raise RecordingFileError(
            f"{name} was written by a newer dynamo_lab (schema {envelope.schema}, this one reads "
            f"up to {SCHEMA}): upgrade dynamo_lab to read it."
        )
    recording = parse(bytes(envelope.recording), type, name, "is damaged")
    problem = validate(recording)
    if problem is not None:
        raise refusal(name, f"is damaged: {problem}")
    return recording


def save(recording: Recording, path: str | os.PathLike[str], level: int = LEVEL) -> None:
    """Write the recording to `path`, gzipped if the name ends in `.gz`, entirely or not at all."""
    write(encode(recording), path, level)


def write(data: bytes, path: str | os.PathLike[str], level: int = LEVEL) -> None:
    """Write what was encoded, gzipped if the name ends in `.gz`, entirely or not at all."""
    if os.fspath(path).endswith(".gz"):
        data = gzip.compress(data, compresslevel=level, mtime=0)
    try:
        files.write(path, data)
    except OSError as error:
        raise RecordingFileError(files.unwritable(path, error)) from error


def load(path: str | os.PathLike[str], type: type[R] = Recording) -> R:
    """The recording in a file that `save` wrote, as the class `type`."""
    name = repr(os.fspath(path))
    return decode(read(Path(path), name), type, name)


def parse(data: bytes, type: type[T], name: str, complaint: str) -> T:
    """JSON as a struct; the complaint is what an error says of it."""
    try:
        return msgspec.json.decode(data, type=type)
    except (ValueError, RecursionError, OverflowError) as error:  # msgspec's and Unicode's too
        raise refusal(name, f"{complaint}: {printable(error)}") from error


def read(path: Path, name: str) -> bytes:
    """The bytes of a file, unpacked; `name` is what an error calls it."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise RecordingFileError(f"There is no file {name}: check the path.") from error
    except IsADirectoryError as error:
        raise RecordingFileError(f"{name} is a folder: pass the recording in it.") from error
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise RecordingFileError(
            f"{name} cannot be read ({printable(error)}): check the path and its permissions."
        ) from error
    return unzipped(data, name)


def unzipped(data: bytes, name: str) -> bytes:
    """The JSON text in bytes that may be compressed; `name` is what an error calls them.

    Raises:
        RecordingFileError: they are damaged, or become too many.
    """
    try:
        if data.startswith(_GZIP_MAGIC):
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MAX_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise refusal(name, f"is damaged: {printable(error)}") from error
    if len(data) > MAX_BYTES:
        raise refusal(name, f"is larger than {MAX_BYTES // 1024**2} MB, the most for a recording")
    return data


def refusal(name: str, complaint: str) -> RecordingFileError:
    """The error for a file that is not a recording that can be read."""
    return RecordingFileError(f"{name} {complaint}; pass a file that `Recording.save` wrote.")


def mended(value: Any) -> Any:
    """`value` with each half of a surrogate pair, which UTF-8 cannot hold, as a question mark."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {mended(key): mended(item) for key, item in items}
    if isinstance(value, (list, tuple)):
        return [mended(item) for item in cast("list[Any]", value)]
    return value

"""Files written entirely or not at all: what was there stays until the new one is complete."""

import errno
import os
import secrets
import shutil
from pathlib import Path

from dynamo_lab.errors import OutputError

_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def unwritable(path: str | os.PathLike[str], why: OSError | str) -> str:
    """That a file cannot be written, why, and what to do."""
    advice = "name a file in a folder that exists and that you may write to"
    if isinstance(why, OSError):
        advice = "make room there, or name a file elsewhere" if why.errno in _FULL else advice
        why = why.strerror or str(why)
    return f"{os.fspath(path)!r} cannot be written ({why}): {advice}."


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file; one that it replaces keeps its permissions.

    Raises:
        OSError: it cannot be written; a file of this name is then as it was.
    """
    if "\0" in os.fspath(path):
        raise OSError(errno.EINVAL, "its name holds a null character")
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # a pipe or a device: nothing to replace
        target.write_bytes(data)
        return
    draft = target.with_name(f".{secrets.token_hex(8)}.draft")  # short: names have a limit
    try:
        draft.write_bytes(data)
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8, which holds no half of a surrogate pair: that becomes `?`.

    Raises:
        OSError: it cannot be written; a file of this name is then as it was.
    """
    write(path, text.encode("utf-8", "replace"))


def write_output(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write what a user asked for.

    Raises:
        OutputError: it cannot be written; a file of this name is then as it was.
    """
    try:
        write(path, data.encode("utf-8", "replace") if isinstance(data, str) else data)
    except OSError as error:
        raise OutputError(unwritable(path, error)) from error

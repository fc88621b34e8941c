"""Misses as GitHub shows them: annotations at the user's lines, and a job summary.

The commands: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dynamo_lab.model.recording import Recording
from dynamo_lab.render.text import one_line, visible
from dynamo_lab.view.compare.misses import Found, Miss

_SHOWN = 10
"""The number of errors that GitHub shows per step."""


def annotations(recording: Recording, found: Sequence[Miss], root: Path) -> Iterator[str]:
    """A workflow command for each fact; file names are relative to the repository's root."""
    for miss in found:
        for one in miss.found[:_SHOWN] or (Found(miss.sentence),):
            place = {} if one.line is None else _place(recording, one, root)
            title = one_line(f"dynamo_lab: {miss.sentence}")
            yield _command({**place, "title": title}, one.text)


def quoted(text: str) -> str:
    """Text for the log in which GitHub ignores commands, whatever a line starts with."""
    token = secrets.token_hex(16)
    return f"::stop-commands::{token}\n{text}\n::{token}::"


def repository_root(environment: Mapping[str, str], start: Path) -> Path:
    """The repository's root: as GitHub says, else the nearest parent folder with a `.git`."""
    if named := environment.get("GITHUB_WORKSPACE"):
        return Path(named)
    around = (start, *start.parents)
    return next((folder for folder in around if (folder / ".git").exists()), start)


def summary(title: str, report: str) -> str:
    """A section of the job summary, in Markdown: the report itself, or that all is as expected."""
    head = f"### dynamo_lab: {_plain(title)}\n\n"
    if not report:
        return f"{head}As expected.\n\n"
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", report)), default=0))
    return f"{head}{fence}text\n{report}\n{fence}\n\n"


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|!&~$@])", r"\\\1", one_line(text))


def _place(recording: Recording, one: Found, root: Path) -> dict[str, str]:
    """File and line; empty for a cell, which is not a file, and for files elsewhere."""
    index, number = one.line or (0, 0)
    source = recording.sources[index]
    if source.kind == "cell" or source.path.startswith("<"):
        return {}
    path = os.path.relpath(os.path.abspath(source.path), os.path.abspath(root))
    if path.startswith(os.pardir):
        return {}
    return {"file": Path(path).as_posix(), "line": str(number)}


def _command(properties: Mapping[str, str], message: str) -> str:
    fields = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::error {fields}::{_data(one_line(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")

"""Who wrote a value that makes a program recompile: watched while it runs once more, eagerly."""

from __future__ import annotations

import linecache
import re
from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import GuardsError
from dynamo_lab.live.guards import live
from dynamo_lab.record.replay import without_trace
from dynamo_lab.view.core.names import short_name
from dynamo_lab.view.guards.readable import readable
from dynamo_lab.view.guards.writers import WhoWrote, Writer, advice_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.capture.guards.writes import At, Write
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.guards.guards import FailedGuard, Recompile
    from dynamo_lab.model.recording import Recording

_SETTERS = ("__setattr__", "__setitem__")
_LIBRARY = re.compile(r"[/\\](?:site-packages|dist-packages|lib[/\\]python[\d.]+)[/\\]|^<")


def who_wrote(
    recording: Recording, session: Session, run: Callable[[], Any], name: str = ""
) -> WhoWrote:
    """The lines that write a value that makes the program recompile, seen while `run` runs.

    Raises:
        GuardsError: nothing was recompiled for such a value, it was in another process, or `run`
            does not call the function.
    """
    from dynamo_lab.capture.guards.writes import Watching, watched

    item, failed = _chosen(recording, name)
    code = live(session).code_of(item.frame)
    watching = Watching(failed.source, lambda running: running is code)
    with without_trace([run]), watched(watching):
        run()
    if not watching.calls:
        raise GuardsError(
            f"This did not call `{short_name(recording.frames[item.frame].name)}`: pass a function "
            "that makes the calls of the recording once more."
        )
    return _answer(failed.source, watching.calls, watching.writes)


def _chosen(recording: Recording, name: str) -> tuple[Recompile, FailedGuard]:
    """The recompilation for a value of this name, by default the one that most are for."""
    pairs = [(item, one) for item in recording.recompiles for one in item.failed if one.source]
    common = Counter(one.source for _, one in pairs)
    if name:
        pairs = [pair for pair in pairs if name in (pair[1].source, readable(pair[1].source))]
    if not pairs:
        known = ", ".join(f"`{readable(source)}`" for source in common) or "none"
        raise GuardsError(f"Nothing was recompiled for such a value. Values that were: {known}.")
    return max(pairs, key=lambda pair: common[pair[1].source])


def _answer(source: str, calls: int, writes: Sequence[Write]) -> WhoWrote:
    alike: dict[tuple[str, int, bool], list[Write]] = {}
    for write in writes:
        stack = _told(write)
        if stack:
            alike.setdefault((stack[0].path, stack[0].line, write.is_passed), []).append(write)
    groups = sorted(alike.values(), key=len, reverse=True)
    owners = [at.owner for group in groups for at in group[0].stack]
    return WhoWrote(
        subject=readable(source),
        calls=calls,
        writers=tuple(map(_writer, groups)),
        advice=advice_for(source, owners),
    )


def _told(write: Write) -> tuple[At, ...]:
    """The lines from the writer on.

    Of a call that is the first that is no library's, of an assignment the line that assigns: a
    module's own `__setattr__` only carries it out.
    """
    found = enumerate(write.stack)
    if write.is_passed:
        first = next((i for i, at in found if not _LIBRARY.search(at.path)), 0)
    else:
        first = next((i for i, at in found if at.function not in _SETTERS), 0)
    return write.stack[first:]


def _writer(group: list[Write]) -> Writer:
    stack = _told(group[0])
    at = stack[0]
    own = next((one for one in stack if not _LIBRARY.search(one.path)), None)
    return Writer(
        where=_where(at),
        function=at.function,
        text=linecache.getline(at.path, at.line).strip(),
        times=len(group),
        was=group[0].was,
        now=group[0].now,
        called_from=_where(own) if own and own is not at else "",
        owner=at.owner,
        is_passed=group[0].is_passed,
    )


def _where(at: At) -> str:
    return f"{PurePath(at.path).name}, line {at.line}"

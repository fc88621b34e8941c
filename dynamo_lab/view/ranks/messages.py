"""The messages that ranks of a job sent to one another, each as the rank that called has it."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model.ranks.ranks import Call
from dynamo_lab.view.core.places import Line, entity_if_known
from dynamo_lab.view.core.words import plural, size
from dynamo_lab.view.ranks.collectives import bytes_of
from dynamo_lab.view.ranks.known import Known
from dynamo_lab.view.ranks.mesh.groups import GroupKey, group_words

_SENDS = re.compile(
    r"\b(?:dist|distributed)\.(?:i?send|i?recv|batch_isend_irecv|P2POp|pipelining)\b|\bP2POp\("
)
HEAD = ("times", "rank", "message", "bytes", "group", "line")


class MessageView(Struct, frozen=True, kw_only=True):
    """`cells` are in the columns of `HEAD`; `line` is an entity of the recording of `rank`."""

    cells: tuple[str, ...]
    rank: str
    line: str


class MessagesView(Struct, frozen=True, kw_only=True):
    """Of `rows` each is messages of a rank that are alike.

    With whom is in the message where the backend says it: "send 0->1".
    """

    sentence: str
    head: tuple[str, ...]
    rows: tuple[MessageView, ...]


def build(ranks: Sequence[Known]) -> MessagesView | None:
    """The messages of all ranks; None if there were none."""
    rows = tuple(row for one in ranks for row in _rows(one))
    if not rows:
        return None
    calls = [call for one in ranks for call in one.rank.calls or () if call.is_message]
    open_ = sum(not call.is_done for call in calls)
    waits = f"; {open_:,} of them did not end" if open_ else ""
    return MessagesView(
        sentence=f"{plural(len(calls), 'call')} of send or recv{waits}.", head=HEAD, rows=rows
    )


def unseen(ranks: Sequence[Known]) -> Iterator[str]:
    """Where none is known: that the program's text sends some, of which gloo keeps no list."""
    is_gloo = any(one.rank.backend == "gloo" for one in ranks)
    if is_gloo and any(map(_names_messages, ranks)):
        yield (
            "Messages from rank to rank (`send`, `recv`) are not known: gloo's groups keep no list "
            "of them."
        )


def _names_messages(one: Known) -> bool:
    return any(
        _SENDS.search(text)
        for source in one.recording.sources
        if source.kind != "library"
        for _, text in source.lines()
    )


def _rows(one: Known) -> Iterator[MessageView]:
    members = {group.name: group.ranks for group in one.rank.groups}
    found: dict[tuple[tuple[str, ...], Line | None], int] = {}
    for call in one.rank.calls or ():
        if call.is_message:
            key = GroupKey(call.group, members.get(call.group, ()))
            line = one.line_of(call)
            cells = (
                one.label, call.name, _amount(call), group_words(key, one.rank),
                "" if line is None else one.places.where_named(line),
            )  # fmt: skip
            found[cells, line] = found.get((cells, line), 0) + 1
    for (cells, line), times in found.items():
        yield MessageView(
            cells=(f"{times:,}", *cells),
            rank=one.label,
            line=entity_if_known(line),
        )


def _amount(call: Call) -> str:
    """The bytes that it sends, or of what a receiver fills."""
    found = [
        bytes_of(sizes, dtypes)
        for sizes, dtypes in ((call.sizes, call.dtypes), (call.results, call.result_dtypes))
    ]
    known = [one for one in found if one]
    return size(max(known)) if known else "?"

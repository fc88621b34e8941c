"""All records of a log, kept as text within bounds: a fact can hold less than its record."""

import json
from collections import Counter
from typing import Any, cast

from dynamo_lab.capture.traces.log import Record
from dynamo_lab.model.core.artifacts import Artifact

MAX_TEXT = 512 * 1024 * 1024
"""The most characters of artifacts that one process keeps."""
MAX_ARTIFACTS = 100_000

_SMALL = frozenset({
    "chromium_event", "describe_tensor", "describe_storage", "describe_source", "str",
    "create_symbol", "create_unbacked_symbol", "expression_created", "guard_added",
    "guard_added_fast", "symbolic_shape_specialization", "dynamo_start",
    "propagate_real_tensors_provenance", "inductor_output_code", "torch_version",
})  # fmt: skip
"""Kinds that come in great numbers: those of a kind share an artifact, a line each."""


class Artifacts:
    """The records of one process that are kept as they are."""

    def __init__(self) -> None:
        self._artifacts: list[Artifact] = []
        self._shown: list[Artifact] = []
        self._small: dict[tuple[str, str], list[str]] = {}
        self._left: Counter[tuple[str, str]] = Counter()
        self._room = MAX_TEXT

    @property
    def lost(self) -> int:
        """How many characters, or texts, were too many to keep."""
        return sum(self._left.values())

    @property
    def damaged(self) -> int:
        """How many records had something wrong."""
        return sum(1 for one in (*self._artifacts, *self._shown) if one.problem)

    def add(self, record: Record, what: str, is_fact: bool) -> None:
        """Keep a record of this kind, or of the artifact of this name."""
        if what in _SMALL and not record.problem:
            self._keep_small(record, what)
            return
        if len(self._artifacts) + len(self._shown) >= MAX_ARTIFACTS:
            self._left["artifacts", ""] += 1
            return
        text = _text(record, indent=1)
        kept = text[: self._room]
        self._room -= len(kept)
        (self._shown if is_fact and not record.problem else self._artifacts).append(
            Artifact(
                kind=record.kind,
                name=record.name,
                compile_id=record.compile_id,
                text=kept,
                left_out=len(text) - len(kept),
                problem=record.problem,
            )
        )

    def _keep_small(self, record: Record, what: str) -> None:
        key = (what, "" if what in ("str", "chromium_event") else record.compile_id)
        text = _text(record, indent=None)
        text = " ".join(text.split("\n")) if record.payload else text
        if len(text) > self._room:
            self._left[key] += len(text)
            text = ""
        self._room -= len(text)
        self._small.setdefault(key, []).append(text)

    def finish(self) -> tuple[Artifact, ...]:
        """All of them, first what no view shows; many small records of a kind share one."""
        for (what, compile_id), lines in self._small.items():
            is_json = what == "chromium_event"  # which a viewer of timelines then opens
            rows = (",\n" if is_json else "\n").join(filter(None, lines))
            text = f"[\n{rows}\n]" if is_json else rows
            self._artifacts.append(
                Artifact(
                    kind=what,
                    compile_id=compile_id,
                    text=text,
                    records=len(lines),
                    left_out=self._left[what, compile_id],
                )
            )
        return (*self._artifacts, *self._shown)


def _text(record: Record, indent: int | None) -> str:
    """What its head says beside names that the artifact has, then its payload."""
    told = record.data
    if isinstance(told, dict):
        names = ("name",) if record.name else ()
        told = {k: v for k, v in _fields(told).items() if k not in (*names, "encoding")}
    if stack := record.context.get("stack"):
        told = {"data": told, "stack": stack} if told else {"stack": stack}
    if told is None or told == {}:
        return record.payload
    data = json.dumps(told, indent=indent, ensure_ascii=False)
    return f"{data}\n\n{record.payload}" if record.payload else data


def _fields(data: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}

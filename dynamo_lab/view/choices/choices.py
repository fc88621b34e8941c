"""Every choice of a recording in one list; each noun keeps its facts, its words and its view."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import get_args

from msgspec.structs import replace

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.attention.attention import AttentionView
from dynamo_lab.view.choices import called, compiled
from dynamo_lab.view.choices.choice import ChoiceRow, Kind
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.fast_path.fast_path import FastPathView
from dynamo_lab.view.fusion.fusion import FusionsView

_ORDER: dict[Kind, int] = {kind: at for at, kind in enumerate(get_args(Kind))}


def build(
    recording: Recording,
    places: Places,
    attentions: Iterable[AttentionView],
    fast_paths: Iterable[FastPathView],
    fusions: FusionsView,
    ancestry: Ancestry,
) -> tuple[ChoiceRow, ...]:
    """The rows, by kind and then in the order of the program; those that are alike are one."""
    found = chain(
        map(called.of_attention, attentions),
        map(called.of_fast_path, fast_paths),
        called.of_precision(recording, places),
        compiled.of_rounding(recording, places, ancestry),
        compiled.of_quantization(recording, places),
        compiled.of_layouts(recording, places),
        compiled.of_concatenations(recording, places),
        compiled.of_freezing(recording),
        compiled.of_lists(fusions),
    )
    return tuple(sorted(_merged(found), key=lambda row: _ORDER[row.kind]))


def _merged(rows: Iterable[ChoiceRow]) -> Iterator[ChoiceRow]:
    alike: dict[ChoiceRow, list[ChoiceRow]] = {}
    for row in rows:
        alike.setdefault(replace(row, nodes=(), count=1), []).append(row)
    for row, same in alike.items():
        nodes = tuple(chain.from_iterable(one.nodes for one in same))
        yield replace(row, nodes=nodes, count=sum(one.count for one in same))

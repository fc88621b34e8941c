"""The DTensors of a job: which rank holds which block of each."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model.ranks.meshes import Shard, ShardedTensor, shard_of
from dynamo_lab.view.core.words import listed, plural, size
from dynamo_lab.view.ranks.known import Known
from dynamo_lab.view.ranks.mesh.meshes import words

HEAD = ("", "shape", "type", "mesh", "placements", "a rank holds", "bytes")
_NAMED = 4


class BlockView(Struct, frozen=True, kw_only=True):
    """A block of a tensor and the ranks that hold it.

    `x`, `y`, `width` and `height` are shares of the whole: columns are the last dimension, rows the
    one before it. A block that begins later in another dimension lies behind others: `is_behind`.
    """

    ranks: tuple[int, ...]
    label: str
    sizes: tuple[int, ...]
    offset: tuple[int, ...]
    x: float
    y: float
    width: float
    height: float
    is_behind: bool = False


class TensorView(Struct, frozen=True, kw_only=True):
    """`cells` are in the columns of `HEAD`. `blocks` are none where they are not known: `remark`.

    `empty` are the ranks that hold nothing of it.
    """

    name: str
    kind: str
    cells: tuple[str, ...]
    blocks: tuple[BlockView, ...]
    empty: tuple[int, ...] = ()
    remark: str = ""


def build(ranks: Sequence[Known]) -> tuple[TensorView, ...]:
    """The DTensors that the ranks have seen; parameters first."""
    seen: dict[tuple[object, ...], list[tuple[int, ShardedTensor]]] = {}
    for one in ranks:
        for tensor in one.rank.dtensors:
            key = tensor.kind == "input", tensor.name, tensor.shape, tensor.placements
            seen.setdefault(key, []).append((one.rank.number, tensor))
    by_kind = sorted(seen.items(), key=lambda item: bool(item[0][0]))
    return tuple(_view(held) for _, held in by_kind)


def _view(held: Sequence[tuple[int, ShardedTensor]]) -> TensorView:
    _, one = held[0]
    known = dict(shards for each in _meshes(held) for shards in _shards(each))
    wrong = _wrong(held)
    locals_ = list(dict.fromkeys(tensor.local for _, tensor in held))
    sizes = list(dict.fromkeys(tensor.bytes for _, tensor in held))
    remark = ""
    if wrong is not None:
        number, tensor = wrong
        remark = (
            f"Rank {number} holds {_shape(tensor.local)}, which its placements alone do not give: "
            "the blocks are not known."
        )
        known = {}
    partial = [placement for placement in one.placements if placement.startswith("P(")]
    if partial:
        part = "a part of a sum" if set(partial) == {"P(sum)"} else "a part, still to be reduced"
        remark = f"{remark} Each rank has {part}.".strip()
    groups: dict[Shard, list[int]] = {}
    for number, shard in known.items():
        groups.setdefault(shard, []).append(number)
    blocks = tuple(
        _block(shard, tuple(sorted(own)), one.shape)
        for shard, own in groups.items()
        if all(shard.sizes)
    )
    empty = [n for shard, own in groups.items() if not all(shard.sizes) for n in own]
    if known:
        locals_ = list(dict.fromkeys(shard.sizes for shard in sorted(groups, key=_order)))
    return TensorView(
        name=one.name,
        kind=one.kind,
        cells=(
            one.name, _shape(one.shape), one.dtype, words(one.mesh), ", ".join(one.placements),
            listed([_shape(local) for local in locals_], _NAMED, "or"),
            size(sizes[0]) if len(sizes) == 1 else f"{size(min(sizes))} to {size(max(sizes))}",
        ),
        blocks=blocks,
        empty=tuple(sorted(empty)),
        remark=remark,
    )  # fmt: skip


def _order(shard: Shard) -> tuple[int, ...]:
    return shard.offset


def _meshes(held: Sequence[tuple[int, ShardedTensor]]) -> Iterator[ShardedTensor]:
    """The tensor once for each mesh that it is on: ranks may hold others of one name."""
    yield from {tensor.mesh: tensor for _, tensor in held}.values()


def _shards(one: ShardedTensor) -> Iterator[tuple[int, Shard]]:
    for number, place in one.mesh.coordinates():
        shard = shard_of(one.shape, one.mesh.shape, one.placements, place)
        if shard is not None:
            yield number, shard


def _wrong(held: Sequence[tuple[int, ShardedTensor]]) -> tuple[int, ShardedTensor] | None:
    """A rank that holds something else than its place in the mesh gives."""
    for number, tensor in held:
        place = dict(tensor.mesh.coordinates()).get(number)
        if place is None:
            continue
        shard = shard_of(tensor.shape, tensor.mesh.shape, tensor.placements, place)
        if shard is None or shard.sizes != tensor.local:
            return number, tensor
    return None


def _block(shard: Shard, ranks: tuple[int, ...], whole: tuple[int, ...]) -> BlockView:
    *before, rows, columns = (1, 1, *whole)
    *at, y, x = (0, 0, *shard.offset)
    *_, height, width = (1, 1, *shard.sizes)
    named = listed([str(number) for number in ranks], _NAMED)
    return BlockView(
        ranks=ranks,
        label=f"{'rank' if len(ranks) == 1 else 'ranks'} {named}",
        sizes=shard.sizes,
        offset=shard.offset,
        x=x / columns,
        y=y / rows,
        width=width / columns,
        height=height / rows,
        is_behind=any(at) and bool(before),
    )


def _shape(sizes: Sequence[int]) -> str:
    return f"[{', '.join(map(str, sizes))}]"


def told(view: TensorView) -> str:
    """How many blocks there are, and who holds none."""
    if not view.blocks:
        return view.remark
    most = max(len(block.ranks) for block in view.blocks)
    each = ", each" if len(view.blocks) > 1 else ","
    copies = f"{each} on {most:,} ranks" if most > 1 else ""
    missing = f"; {plural(len(view.empty), 'rank')} hold nothing" if view.empty else ""
    return f"{plural(len(view.blocks), 'block')}{copies}{missing}. {view.remark}".strip()

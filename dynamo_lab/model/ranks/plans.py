"""The plan of a job that did not run: kinds of ranks, and of each one that stands for all."""

from typing import Annotated

from msgspec import Struct

from dynamo_lab.model.core.references import Plain


class Kind(Struct, frozen=True, kw_only=True):
    """Ranks that are taken to compile the same: `representative` is the one that was planned.

    `planned` are all of them that were: they compiled the same as the representative.
    """

    representative: Annotated[int, Plain("a rank")]
    ranks: tuple[int, ...]
    planned: tuple[int, ...]


class Plan(Struct, frozen=True, kw_only=True):
    """`size` ranks, in kinds. `seconds` is how long the plan took."""

    size: Annotated[int, Plain("a number of ranks")]
    kinds: tuple[Kind, ...]
    seconds: float = 0.0

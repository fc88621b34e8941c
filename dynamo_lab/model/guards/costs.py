"""How long the guards of a compilation take to check, as measured on the machine that recorded."""

from typing import Annotated

from msgspec import Struct

from dynamo_lab.model.core.references import Plain


class GuardBranch(Struct, frozen=True, array_like=True):
    """The guards of a value and of all that is reached through it.

    `seconds` are those that a check takes for them, `values` how many values they are.
    """

    source: str
    seconds: float
    values: Annotated[int, Plain("how many values")] = 0


class GuardFilter(Struct, frozen=True, array_like=True):
    """What a `guard_filter_fn` of PyTorch leaves: how many of the guards, and their seconds.

    The seconds are None where no measurement can tell.
    """

    name: str
    kept: Annotated[int, Plain("how many guards")]
    seconds: float | None = None


class GuardTime(Struct, frozen=True, kw_only=True):
    """One check of a compilation's guards that all hold, with warm caches.

    `seconds` is the check as a whole. `state` is what is checked of PyTorch's state, before any
    value. It and `branches` are measured apart, each on a copy of the guards that has nothing else,
    so that they add up to about the whole. They and `filters` are there only when asked for.
    """

    compile_id: str
    seconds: float
    guards: Annotated[int, Plain("how many guards")] = 0
    state: float | None = None
    branches: tuple[GuardBranch, ...] = ()
    filters: tuple[GuardFilter, ...] = ()

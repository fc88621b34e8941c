"""The corpus: families of programs, by the package that each comes from."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from random import Random

from msgspec import Struct

from dynamo_lab.errors import SuiteError
from dynamo_lab.suite.corpus import (
    of_announced,
    of_diffusers,
    of_geometric,
    of_modules,
    of_operators,
    of_timm,
    of_torchvision,
    of_transformers,
    of_vit_pytorch,
    of_x_transformers,
)
from dynamo_lab.suite.corpus.program import Entry


class Family(Struct, frozen=True):
    """Programs that need one package.

    `imports` takes long to import, which is done once for the processes of all its programs. One
    that has programs of other families again is not `usual`: it is tried where it is named.
    """

    name: str
    package: str
    imports: str
    entries: Callable[[], Iterator[Entry]]
    usual: bool = True

    @property
    def is_installed(self) -> bool:
        """Whether its package is there."""
        return importlib.util.find_spec(self.package) is not None


FAMILIES = (
    Family("operators", "expecttest", of_operators.TABLE,
           of_operators.entries),
    Family("modules", "expecttest", of_modules.TABLE, of_modules.entries),
    Family("transformers", "transformers", "transformers.modeling_utils",
           of_transformers.entries),
    Family("timm", "timm", "timm", of_timm.entries),
    Family("torchvision", "torchvision", "torchvision", of_torchvision.entries),
    Family("vit-pytorch", "vit_pytorch", "vit_pytorch", of_vit_pytorch.entries),
    Family("x-transformers", "x_transformers", "x_transformers", of_x_transformers.entries),
    Family("diffusers", "diffusers", of_diffusers.BLOCKS, of_diffusers.entries),
    Family("torch_geometric", "torch_geometric", "torch_geometric.nn", of_geometric.entries),
    Family("2.0-huggingface", "transformers", "transformers.modeling_utils",
           of_announced.entries_of("Hugging Face"), usual=False),
    Family("2.0-timm", "timm", "timm", of_announced.entries_of("timm"), usual=False),
    Family("2.0-torchbench", "torch", "torch",
           of_announced.entries_of("TorchBench"), usual=False),
)  # fmt: skip


@cache
def entries_of(family: str) -> dict[str, Entry]:
    """The entries of a family by their full names, "family:name"; none without what it needs."""
    found = next(one for one in FAMILIES if one.name == family)
    if not found.is_installed:
        return {}
    try:
        return {f"{family}:{entry.name}": entry for entry in found.entries()}
    except ImportError:  # of what the package itself needs
        return {}


def imports_of(names: Iterable[str]) -> list[str]:
    """What the families of these programs import."""
    families = {family_of(name) for name in names}
    return [family.imports for family in FAMILIES if family.name in families]


def family_of(name: str) -> str:
    """The family that a full name is of."""
    return name.partition(":")[0]


def program_of(name: str) -> Entry:
    """The entry with a full name."""
    return entries_of(family_of(name))[name]


def sampled(names: Sequence[str], count: int, seed: int) -> list[str]:
    """So many of the names at random, of each family its share: the same for the same seed.

    A family with any has at least one, so that there may be a few more.
    """
    random = Random(seed)
    of_families: dict[str, list[str]] = {}
    for name in names:
        of_families.setdefault(family_of(name), []).append(name)
    found: list[str] = []
    for within in of_families.values():
        share = max(1, round(count * len(within) / len(names)))
        found += random.sample(within, min(share, len(within)))
    return found


def chosen(asked: str) -> list[str]:
    """The full names of the programs that are asked for: families and names, with commas.

    Without any, all programs of the usual families.

    Raises:
        SuiteError: there is no such family or program.
    """
    families = [family.name for family in FAMILIES]
    found: list[str] = []
    usual = [family.name for family in FAMILIES if family.usual]
    for one in filter(None, map(str.strip, asked.split(","))) if asked else usual:
        if family_of(one) not in families:
            raise SuiteError(f"There is no family {one!r}: there are {', '.join(families)}.")
        names = list(entries_of(family_of(one)))
        if one not in families and one not in names:
            raise SuiteError(f"There is no program {one!r}: `--capture --list` prints their names.")
        found += names if one in families else [one]
    return found

"""What a model on the list is, and the program that it makes."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct

from dynamo_lab.suite.results import Size

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch

Family = Literal["torch", "transformers", "timm"]


class Program(NamedTuple):
    """A module on the CPU, what it is called with, and what training makes of its output.

    With "classes" the loss is the cross entropy of the output's last dimension against random
    labels, with "values" the mean square distance from random values.
    """

    module: torch.nn.Module
    inputs: Mapping[str, Any]
    target: Literal["classes", "values"] = "classes"


class Model(Struct, frozen=True):
    """A name on the list; `build` makes the program and imports what it needs.

    `family` is where it comes from: that package has to be installed.
    """

    name: str
    family: Family
    build: Callable[[Size], Program]

    @property
    def is_installed(self) -> bool:
        """Whether its package is there."""
        return importlib.util.find_spec(self.family) is not None

"""The list: what can be run by name. Weights are random and nothing is downloaded."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct

from dynamo_lab.errors import SuiteError
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


@cache
def models() -> dict[str, Model]:
    """All of the list, by name."""
    from dynamo_lab.suite import models_timm, models_torch, models_transformers

    listed = (*models_torch.MODELS, *models_transformers.MODELS, *models_timm.MODELS)
    return {model.name: model for model in listed}


def chosen(names: str) -> list[Model]:
    """The models of these names or families, with commas; all of them for none.

    Raises:
        SuiteError: there is no such name.
    """
    known = models()
    asked = [name.strip() for name in names.split(",") if name.strip()]
    found: dict[str, Model] = {}
    for name in asked or known:
        matching = [model for model in known.values() if name in (model.name, model.family)]
        if not matching:
            raise SuiteError(f"There is no model {name!r}: `dynamo-lab suite --list` has them all.")
        found.update((model.name, model) for model in matching)
    return list(found.values())

"""The list: what can be run by name. Weights are random and nothing is downloaded."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dynamo_lab.errors import SuiteError

if TYPE_CHECKING:
    from dynamo_lab.suite.models.model import Model


@cache
def models() -> dict[str, Model]:
    """All of the list, by name."""
    from dynamo_lab.suite.models import of_papers, of_timm, of_torch, of_transformers

    listed = (*of_torch.MODELS, *of_papers.MODELS, *of_transformers.MODELS, *of_timm.MODELS)
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

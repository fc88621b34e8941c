"""The models that PyTorch 2.0 was announced with, as far as packages have them; random weights."""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import TYPE_CHECKING, Any

from dynamo_lab.suite.corpus import of_timm, of_torchvision, of_transformers
from dynamo_lab.suite.corpus.announced import announced
from dynamo_lab.suite.corpus.program import Entry, Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamo_lab.suite.corpus.announced import Announced, Origin


def entries_of(origin: Origin) -> Callable[[], Iterator[Entry]]:
    """What gives an entry for each model of an origin that an installed package has."""

    def entries() -> Iterator[Entry]:
        for one in announced():
            if one.origin == origin and one.package and importlib.util.find_spec(one.package):
                yield Entry(one.name, partial(_BUILT[one.package], one))

    return entries


def _of_transformers(one: Announced) -> Program:
    """With its head, and made small as the other models of transformers are."""
    import transformers

    kind: Any = getattr(transformers, one.named)
    return of_transformers.running(one.name, kind.config_class, kind)


def _of_the_suite(one: Announced) -> Program:
    from dynamo_lab.suite.models.models import models

    made = models()[one.named].build("small")
    return Program(made.module.eval(), (), made.inputs)


_BUILT: dict[str, Callable[[Announced], Program]] = {
    "transformers": _of_transformers,
    "timm": lambda one: of_timm.program(one.named),
    "torchvision": lambda one: of_torchvision.program(one.named),
    "dynamo_lab": _of_the_suite,
}

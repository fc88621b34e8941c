"""The atlas of operators: `atlas()`, counted live from the PyTorch that is installed."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dynamo_lab.model.core.files import write_output

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.model.decompositions import Device, Entry, Level, Overload
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.decompositions.natives import CensusView, ProgramCensusView

V = TypeVar("V", "CensusView", "ProgramCensusView")


def atlas() -> Atlas:
    """How many operators PyTorch has, from ATen's overloads down to Inductor's loop IR.

    Print it, or index it by operator: `atlas()["aten.gelu"]`. Counting takes a few seconds the
    first time, mostly to import Inductor.
    """
    from dynamo_lab.capture.decompositions.atlas import levels

    return Atlas(levels())


class Atlas:
    """Counts of operators at each level, next to those in PyTorch 2.0's announcement."""

    def __init__(self, levels: tuple[Level, ...]) -> None:
        self.levels = levels

    def __getitem__(self, operator: str) -> Operator:
        """One operator by name: its overloads, their rules and lowerings.

        Raises:
            DecompositionError: there is no such operator.
        """
        from dynamo_lab.capture.decompositions.atlas import overloads

        return Operator(operator, overloads(operator))

    @functools.cached_property
    def operators(self) -> tuple[Entry, ...]:
        """Every ATen operator."""
        from dynamo_lab.capture.decompositions.atlas import entries

        return entries()

    def on(self, device: Device) -> Census[CensusView]:
        """Which operators have a kernel on a device, "cpu", "cuda" or "mps", and which have none.

        By PyTorch's own list, which names the kernels of devices that it was not built for, too.

        Raises:
            OptionError: the list has no such device.
        """
        from dynamo_lab.capture.decompositions.atlas import census
        from dynamo_lab.view.decompositions.natives import build, refuse_unlisted

        refuse_unlisted(device)
        return Census(build(census(device)))

    def of(self, recording: Recording) -> Census[ProgramCensusView]:
        """Which operators of a recorded program have a kernel on its device, and which have none.

        Its device is the target that it was lowered for, `lab.lower(model, x, target="mps")`, or
        where it ran: on another device PyTorch calls other operators.

        Raises:
            OptionError: another release of PyTorch recorded it.
        """
        from dynamo_lab.record.on_target import census_of
        from dynamo_lab.view.decompositions.natives import build_program

        return Census(build_program(census_of(recording)))

    def to_html(self, path: str | Path) -> None:
        """Write the counts and a table of every ATen operator as one page."""
        from dynamo_lab.render.fallback.atlas import page

        write_output(path, page(self.levels, self.operators))

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.decompositions.atlas import levels_text

        return levels_text(self.levels)

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.atlas import levels_html

        return {"text/plain": str(self), "text/html": levels_html(self.levels)}


class Census(Generic[V]):
    """Where the kernels are for a device: all of ATen's, or those that a program needs.

    `view` has the counts and the names.
    """

    def __init__(self, view: V) -> None:
        self.view = view

    def to_html(self, path: str | Path) -> None:
        """Write it as one page."""
        from dynamo_lab.render.fallback.atlas import census_page

        write_output(path, census_page(self.view))

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.decompositions.natives import census_text

        return census_text(self.view)

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.atlas import census_html

        return {"text/plain": str(self), "text/html": census_html(self.view)}


class Operator:
    """One operator of the atlas. `overloads` has the facts of each."""

    def __init__(self, name: str, overloads: tuple[Overload, ...]) -> None:
        self.name = name
        self.overloads = overloads

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.decompositions.atlas import operator_text

        return operator_text(self.overloads)

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.atlas import operator_html

        return {"text/plain": str(self), "text/html": operator_html(self.overloads)}

"""A training plan as the user holds it: it runs, is printed, shown, and planned again."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.api.recording import Recording
from dynamo_lab.live.session import Session
from dynamo_lab.tiny.plan import Plan as Planned
from dynamo_lab.tiny.plan import plan
from dynamo_lab.tiny.selection import selection

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dynamo_lab.model.recording import Recording as Facts
    from dynamo_lab.model.tiny import TinyChoice

SHARES = (0.25, 0.5, 1.0)
"""The shares of a weight's input channels that a page can show without a kernel."""

MOST_STOPS = 4
"""How many numbers of layers it can show, beside the biases alone."""


class Plan(Planned):
    """A training step as planned; print it, or leave it as a cell's last expression to change it.

    `step` runs it in PyTorch, `to_c` writes it as C. `facts` has its numbers, `passes` each rewrite
    with the graphs before and after it, `graph` the last of them, `selected` what is updated.
    """

    def replanned(self, update: Any, channels: str | None = None) -> Plan:
        """The same step with another update, whether or not it is below the limit.

        Args:
            update: What is updated, and
            channels: which channels: as for `lab.tiny`.

        Raises:
            OptionError: it selects nothing, or what cannot be selected.
        """
        selected = selection(self.model, update, channels or self.problem.channels)
        return Plan.of(plan(self.problem, selected))

    @classmethod
    def of(cls, planned: Planned) -> Plan:
        """The handle of a plan."""
        return cls(**{name: getattr(planned, name) for name in Planned.__dataclass_fields__})

    @cached_property
    def recording(self) -> Recording:
        """Its joint graph with its memory: everything that a recording can do and show."""
        session = Session()
        session.replan = lambda update: _recorded(self.replanned(update))
        return Recording.of(_recorded(self), session)

    def choices(self) -> Iterator[TinyChoice]:
        """Plans of other updates, made one by one: the last layers with shares of their weights."""
        from dynamo_lab.model.tiny import TinyChoice

        names = [one.name for one in self.facts.trainable]
        if any(name.rpartition(".")[2] == "bias" for name in names):
            yield TinyChoice(layers=0, share=1.0, plan=self.replanned("bias").facts)
        layers = list(dict.fromkeys(name.rpartition(".")[0] for name in names))
        choosable = self.problem.choosable
        for count in _stops(len(layers)):
            kept = set(layers[-count:])
            chosen = [name for name in names if name.rpartition(".")[0] in kept]
            for share in SHARES if choosable.keys() & set(chosen) else (1.0,):
                update = {name: share if name in choosable else "all" for name in chosen}
                yield TinyChoice(layers=count, share=share, plan=self.replanned(update).facts)

    def to_html(self, path: str | Path) -> None:
        """Write its page, which works offline, with a small set of other updates planned for it.

        Raises:
            OutputError: the file cannot be written; a page of this name is then as it was.
        """
        known = self.recording
        assert known.training is not None
        training = structs.replace(known.training, choices=tuple(self.choices()))
        structs.replace(known, training=training).to_html(path)

    def show(self) -> None:
        """Show it where this code runs: in a notebook with sliders for what is updated."""
        self.recording.show()

    def _ipython_display_(self) -> None:
        self.show()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.page import fallback
        from dynamo_lab.view import build

        return {"text/plain": str(self), "text/html": fallback(build(self.recording))}


def _stops(layers: int) -> list[int]:
    """Some numbers of layers, the least and all among them."""
    steps = min(MOST_STOPS, layers)
    return sorted({1 + round(k * (layers - 1) / max(1, steps - 1)) for k in range(steps)})


def _recorded(planned: Planned) -> Facts:
    """The joint graph with its lines and modules, the passes over it, and the plan."""
    from dynamo_lab.capture.graphs.nodes import node_table
    from dynamo_lab.model.graphs import Graph
    from dynamo_lab.model.tiny import Training
    from dynamo_lab.record.recorders import name_of, new_recorder
    from dynamo_lab.tiny.passes.recorded import recorded
    from dynamo_lab.tiny.work import work_of

    problem = planned.problem
    name = name_of(problem.model)
    recorder = new_recorder(f"training step of {name}")
    nodes = node_table(problem.joint.graph, recorder.texts)
    recorder.graphs.append(Graph(id=0, stage="joint", name=name, compile_id="", nodes=nodes))
    work = work_of(planned.graph, problem.precision)
    pipeline, passes = recorded(planned.passes, work, planned.arena)
    recorder.pipelines.append(pipeline)
    recorder.passes.extend(passes)
    recorder.stop()
    training = Training(graph=0, plan=planned.facts, pipeline=pipeline.id)
    return structs.replace(recorder.freeze(), training=training, seconds=0.0)

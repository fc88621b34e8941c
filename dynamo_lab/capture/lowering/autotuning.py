"""Autotuning: the candidates for an operator, how long each took, and which was taken.

Source: torch/_inductor/select_algorithm.py, `AlgorithmSelectorCache`.
"""

import math
import threading
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.lowering import hooks
from dynamo_lab.capture.lowering.lowering import LoweringProbes
from dynamo_lab.model.lowering import Autotuning, Candidate

_MILLISECOND = 1e-3


class AutotuningProbes:
    """Records each time that Inductor times candidates, or reads their times from its cache."""

    def __init__(self, recorder: Recorder, lowering: LoweringProbes) -> None:
        self._recorder = recorder
        self._lowering = lowering
        self._local = threading.local()

    def install(self, patches: Patches) -> None:
        """Watch the choice, the times that it is made by, and whether these are measured now."""
        patches.hook(hooks.SELECTED, self.selecting)
        patches.hook(hooks.AUTOTUNED, self.autotuned)
        patches.hook(hooks.TIMED, self.timing)

    def selecting(
        self, _: Any, name: str, choices: Sequence[Any], *__: Any, **___: Any
    ) -> Generator[None, Any, None]:
        """One of the choices is taken. In a release that does not say which, the fastest is."""
        before = len(self._recorder.autotunings)
        result = yield
        if len(self._recorder.autotunings) == before:
            return  # there was one, or the times come later
        found = self._recorder.autotunings[-1]
        taken = result[1] if isinstance(result, tuple) else _fastest(self._local.choices, found)
        if taken is not None:
            places = [at for at, one in enumerate(self._local.choices) if one is taken]
            self._recorder.autotunings[-1] = replace(found, chosen=places[0] if places else None)

    def autotuned(
        self, _: Any, name: str, input_nodes: Sequence[Any], *args: Any, **named: Any
    ) -> Generator[None, Any, None]:
        """The choices are timed. PyTorch gives milliseconds, and infinity for one that failed."""
        self._local.timed = False
        timings = yield
        if not isinstance(timings, Mapping) or not timings:
            return
        self._local.choices = choices = list(timings)
        graph, node = self._place()
        self._recorder.autotunings.append(
            Autotuning(
                operator=name,
                graph=graph,
                node=node,
                inputs=tuple(map(_described, input_nodes)),
                candidates=tuple(_candidate(one, timings[one]) for one in choices),
                was_timed=self._local.timed,
            )
        )

    def timing(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """They are measured in this run."""
        self._local.timed = True
        yield

    def _place(self) -> tuple[int | None, int | None]:
        """The graph that is being lowered, and the node."""
        graph, lowered = self._lowering.current_graph, hooks.VIRTUALIZED.get().graph
        if graph is None:
            return None, None
        node = hooks.CURRENT_NODE.of(lowered)
        names = graph.nodes.name
        return graph.id, names.index(node.name) if node and node.name in names else None


def _candidate(choice: Any, milliseconds: float) -> Candidate:
    return Candidate(
        name=str(choice.name),
        is_template=not isinstance(choice, hooks.LIBRARY.get()),
        description=str(getattr(choice, "description", "")),
        seconds=milliseconds * _MILLISECOND if math.isfinite(milliseconds) else None,
    )


def _fastest(choices: Sequence[Any], found: Autotuning) -> Any:
    timed = [
        (one.seconds, at) for at, one in enumerate(found.candidates) if one.seconds is not None
    ]
    return choices[min(timed)[1]] if timed else None


def _described(node: Any) -> str:
    sizes = ", ".join(map(str, node.get_size()))
    return f"{str(node.get_dtype()).removeprefix('torch.')}[{sizes}]"

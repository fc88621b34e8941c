"""Passes: what Inductor does to each graph before it generates code, one rewrite after the other.

A pipeline is one phase of passes over one graph. Within it, whatever starts or ends is a moment to
look at the graph, and what changed since the last look is what ran meanwhile did.
"""

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace
from torch import fx

from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.graphs.replaced import Replaced
from dynamo_lab.capture.lowering.lowering import LoweringProbes
from dynamo_lab.capture.passes import hooks
from dynamo_lab.capture.passes.matches import MatchProbes
from dynamo_lab.capture.passes.origins import became, placed
from dynamo_lab.capture.passes.patterns import code_of, registered_name
from dynamo_lab.capture.passes.phases import RunningPass, RunningPipeline
from dynamo_lab.capture.passes.snapshots import Family
from dynamo_lab.model.passes import HOOKS, Pass, PassKind, Phase, Pipeline

Probe = Generator[None, Any, None]

_INDUCTOR = "torch/_inductor/"
"""Where Inductor's own passes stand, of which it hooks some in as a user would."""


class PassProbes:
    """Records each pass with what it changed and the patterns that matched in it."""

    def __init__(
        self,
        recorder: Recorder,
        compilations: Compilations,
        lowering: LoweringProbes,
        replaced: Replaced,
    ) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._lowering = lowering
        self._replaced = replaced
        self._local = threading.local()

    def install(self, patches: Patches) -> None:
        """Watch the phases, the passes in them and the matches in those.

        Install it after `LoweringProbes`: a phase is over once its graph has been recorded.
        """
        for row, probe in (
            (hooks.PRE_GRAD, self._phase("pre_grad")),
            (hooks.JOINT, self._phase("joint")),
            (hooks.POST_GRAD, self._phase("post_grad")),
            (hooks.CONV_LAYOUT, self.conv_layout),
            (hooks.FREEZE, self.freezing),
            (hooks.APPLY_MODULE, self.applied),
            (hooks.APPLY_GRAPH, self.applied),
            (hooks.DISABLED, self.disabled),
            (hooks.ENTERED, self.entered),
            (hooks.EXITED, self.exited),
            (hooks.MATCHER, self.matcher),
        ):
            patches.hook(row, probe)
        MatchProbes(self._recorder, self._replaced, lambda: self._current).install(patches)
        for row in hooks.STEPS:
            if row.exists:
                patches.hook(row, self._step(row.place()[1], row.get()))

    @property
    def _pipelines(self) -> list[RunningPipeline]:
        return self._local.__dict__.setdefault("pipelines", [])

    @property
    def _current(self) -> RunningPipeline | None:
        return self._pipelines[-1] if self._pipelines else None

    # Phases

    def _phase(self, phase: Phase) -> Callable[..., Probe]:
        def passes(gm: fx.GraphModule, *_: Any, **__: Any) -> Probe:
            """A phase over a graph; it calls itself for the bodies of operators."""
            now = self._current
            path = now.family.path_of(gm) if now is not None and now.phase == phase else None
            if now is not None and path is not None:
                yield from self._in_body(now, path)
                return
            with self._pipeline(phase, gm) as now:
                result = yield
                if isinstance(result, fx.GraphModule):
                    now.family.replace("", result)

        passes.__name__ = f"{phase}_passes"
        return passes

    def _in_body(self, now: RunningPipeline, path: str) -> Probe:
        now.bodies.append(path)
        try:
            result = yield
            if isinstance(result, fx.GraphModule) and path:
                now.family.replace(path, result)
        finally:
            now.bodies.pop()

    def conv_layout(self, gm: fx.GraphModule) -> Probe:
        """Before freezing, the weights of convolutions get another layout."""
        name = "convert_conv_weights_to_channels_last"
        with self._pipeline("layout", gm) as now, self._running(now, gm, name, "pass", gm):
            yield

    def freezing(self, dynamo_gm: Any, gm: fx.GraphModule, *_: Any) -> Probe:
        """Freezing makes constants of parameters, and computes what depends on them alone."""
        with self._pipeline("freezing", gm):
            yield

    @contextmanager
    def _pipeline(self, phase: Phase, gm: fx.GraphModule) -> Iterator[RunningPipeline]:
        recorder = self._recorder
        start, recorded = recorder.now(), len(recorder.graphs)
        now = self._begin(phase, gm, start)
        self._pipelines.append(now)
        try:
            yield now
        except BaseException as error:
            recorder.update(recorder.pipelines, now.id, error=_in_a_line(error))
            raise
        finally:
            self._look(now)
            self._pipelines.pop()
            fact = recorder.pipelines[now.id]
            recorder.update(
                recorder.pipelines,
                now.id,
                became=became(recorder, fact, tuple(now.family.modules), recorded),
                end=len(recorder.passes),
                seconds=recorder.now() - start,
            )

    def _begin(self, phase: Phase, gm: fx.GraphModule, start: float) -> RunningPipeline:
        recorder = self._recorder
        compile_id = self._compilations.current_id()
        fact = Pipeline(
            id=len(recorder.pipelines),
            phase=phase,
            compile_id=compile_id,
            frame=self._compilations.frame_of(compile_id),
            is_backward=phase == "post_grad" and self._lowering.is_backward,
            first=len(recorder.passes),
            start=start,
        )
        family = Family(gm)
        fact, changes = placed(recorder, fact, family.texts())
        recorder.pipelines.append(fact)
        now = RunningPipeline(fact.id, phase, family)
        if changes:
            self._add(now, f"before the {phase} passes", "between", changes=changes)
        return now

    # Passes, and what else runs in a phase

    def applied(self, observer: Any, run: Any) -> Probe:
        """A pass that PyTorch times."""
        now = self._current
        if now is None:
            return
        matcher = getattr(run, "__self__", None)
        told = {} if hasattr(matcher, "patterns") else self._told(run)
        facts = {"subsystem": observer.subsystem or "", "timed": True, **told}
        name = observer.passname
        if name.startswith(HOOKS) and told and not told["place"].startswith(_INDUCTOR):
            name, facts["hook"] = told["function"] or name, name
        with self._running(now, observer, name, "pass", observer.gm, **facts):
            yield

    def disabled(self, observer: Any) -> Probe:
        """PyTorch asks whether a pass is switched off."""
        is_off = yield
        now = self._current
        if is_off and now is not None and (index := now.innermost) is not None:
            self._recorder.update(self._recorder.passes, index, disabled=True)

    def entered(self, observer: Any) -> Probe:
        """A pass that PyTorch observes and does not time."""
        yield
        now = self._current
        if now is None:
            return
        if now.open and (now.open[-1].what is observer or hasattr(now.open[-1].what, "patterns")):
            now.open.append(RunningPass(observer, None))  # of one that is known already
        else:
            facts = {"subsystem": observer.subsystem or ""}
            self._start(now, observer, observer.passname, "pass", observer.gm, **facts)

    def exited(self, observer: Any, *_: Any) -> Probe:
        """The end of it."""
        now = self._current
        if now is not None and now.open and now.open[-1].what is observer:
            self._end(now)
        yield

    def matcher(self, matcher: Any, graph: Any) -> Probe:
        """A set of patterns is looked for."""
        now = self._current
        if now is None or not matcher.patterns:
            return
        module = graph if isinstance(graph, fx.GraphModule) else graph.owning_module
        is_ours = now.family.path_of(module) is not None
        is_all_so_far = now.innermost == len(self._recorder.passes) - 1
        if not is_ours or is_all_so_far:  # of a pattern being traced, or what the pass consists of
            now.open.append(RunningPass(matcher, None))
            try:
                yield
            finally:
                now.open.pop()
            return
        name = matcher.pass_name or registered_name(matcher) or "pattern_matcher"
        kind = "pass" if matcher.pass_name else "step"
        facts = {"subsystem": hooks.SUBSYSTEM.of(matcher) or ""}
        with self._running(now, matcher, name, kind, module, **facts):
            yield

    def _step(self, name: str, function: Any) -> Callable[..., Probe]:
        def step(subject: Any, *_: Any, **__: Any) -> Probe:
            """Code of a phase that no observer watches; what passes call is part of them."""
            now = self._current
            module = getattr(subject, "owning_module", subject)
            if now is None or now.open or now.family.path_of(module) is None:
                return
            with self._running(now, step, name, "step", module, **self._told(function)):
                yield

        step.__name__ = name
        return step

    def _told(self, function: Any) -> dict[str, Any]:
        code = code_of(function, self._recorder.texts)
        return {
            "function": code.name,
            "description": code.description,
            "place": code.place,
            "span": code.span,
        }

    @contextmanager
    def _running(
        self, now: RunningPipeline, what: Any, name: str, kind: PassKind, module: Any, **facts: Any
    ) -> Iterator[None]:
        self._start(now, what, name, kind, module, **facts)
        try:
            yield
        except BaseException as error:
            if (index := now.innermost) is not None:
                self._recorder.update(self._recorder.passes, index, error=_in_a_line(error))
            raise
        finally:
            self._end(now)

    def _start(
        self, now: RunningPipeline, what: Any, name: str, kind: PassKind, module: Any, **facts: Any
    ) -> None:
        if not now.open and now.family.path_of(module) is None:
            now.family.replace(now.bodies[-1], module)  # a pass gave back another graph
        self._look(now)
        body = now.family.path_of(module) or ""
        index = self._add(now, name, kind, body=body, **facts)
        now.open.append(RunningPass(what, index, self._recorder.now()))

    def _end(self, now: RunningPipeline) -> None:
        running = now.open[-1]
        seconds = self._recorder.now() - running.started
        if running.index is not None:
            self._look(now)
        now.open.pop()
        if running.index is None:
            return
        fact = replace(self._recorder.passes[running.index], matches=tuple(running.matches))
        now.last = fact.function if fact.kind == "step" else fact.name
        is_last = running.index == len(self._recorder.passes) - 1
        is_empty = not (fact.changes or fact.matches or fact.left_alone)
        if is_last and fact.kind == "step" and is_empty:
            self._recorder.passes.pop()  # no pass, and did nothing
        else:
            self._recorder.passes[running.index] = replace(fact, seconds=seconds)

    def _look(self, now: RunningPipeline) -> None:
        """Put what changed since the last look down to what ran."""
        changes = now.family.look()
        if not changes:
            return
        index = now.innermost
        passes = self._recorder.passes
        if index is not None and index == len(passes) - 1:
            self._recorder.update(passes, index, changes=(*passes[index].changes, *changes))
        else:
            name = f"after {now.last}" if now.last else "before the first pass"
            self._add(now, name, "between", changes=changes)

    def _add(self, now: RunningPipeline, name: str, kind: PassKind, **facts: Any) -> int:
        passes = self._recorder.passes
        fact = Pass(
            id=len(passes),
            pipeline=now.id,
            name=name,
            kind=kind,
            parent=now.innermost,
            start=self._recorder.now(),
            left_alone={},
            **facts,
        )
        passes.append(fact)
        return fact.id


def _in_a_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__

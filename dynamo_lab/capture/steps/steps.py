"""Steps: each instruction that Dynamo interprets, with what it did, in the order it does so."""

from collections.abc import Generator
from types import CodeType
from typing import Any, NamedTuple

from dynamo_lab.capture.core import compat
from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.frames.bytecode import instructions, keep_code
from dynamo_lab.capture.frames.frames import readable_name
from dynamo_lab.capture.frames.outcomes import first_line
from dynamo_lab.capture.graphs.nodes import arguments_text, node_value, target_name
from dynamo_lab.capture.steps import hooks
from dynamo_lab.capture.steps.columns import StepColumns
from dynamo_lab.capture.steps.symbolic import Describer
from dynamo_lab.model.steps import AddedGuard, AddedNode, Event, EventKind

_CUT = -1  # in place of a step beyond the maximum


class Bound(NamedTuple):
    """A local variable as it was last seen: the object and what it was described as."""

    variable: Any
    value: int


class Interpretation:
    """A running translator: its call among the recorded ones, and its local variables."""

    def __init__(self, translator: Any, call: int) -> None:
        self.translator = translator  # kept alive: it is known by its id
        self.call = call
        self.locals: dict[str, Bound] = {}


class StepProbes:
    """Records the steps of the analysis of frames."""

    def __init__(self, recorder: Recorder, compilations: Compilations, steps: StepColumns) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._columns = steps
        self._describer = Describer(self._row_of)
        self._working: dict[int, Interpretation] = {}
        self._codes: dict[int, tuple[CodeType, int]] = {}
        self._nodes: dict[int, tuple[Any, int]] = {}
        self._steps: list[int] = []  # those under way: an inlined call runs inside its CALL
        self._raised: BaseException | None = None

    def install(self, patches: Patches) -> None:
        """Watch Dynamo's interpreter, and what its instructions add."""
        for row, probe in (
            (hooks.TAKE, self.take),
            (hooks.STEP, self.step),
            (hooks.CHECKPOINT, self.checkpoint),
            (hooks.NODE_ADDED, self.node_added),
            (hooks.NODE_REMOVED, self.node_removed),
            (hooks.GUARD_ADDED, self.guard_added),
            (hooks.MUTATED, self.mutated),
            (hooks.ATTRIBUTE_STORED, self.attribute_stored),
            (hooks.COMPILED, self.compiled),
        ):
            patches.hook(row, probe)

    def take(self, code: CodeType, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """Dynamo analyses a frame once: one take."""
        compile_id = self._compilations.current_id()
        frame = self._compilations.frame_of(compile_id) or 0
        outer, self._steps = self._steps, []
        self._columns.begin(frame, compile_id)
        try:
            yield
        finally:
            # installed after the probe that adds the attempt, this one also ends after it
            self._columns.end(len(self._recorder.frames[frame].attempts) - 1)
            self._steps = outer
            if not self._columns.is_open:
                self._forget()

    def _forget(self) -> None:
        """Release what an attempt held: the next one makes everything again."""
        for node, row in self._nodes.values():
            # Dynamo names nodes after the variables that they are stored in, once they are
            self._columns.update_node(row, name=node.name, value=node_value(node).text)
        self._describer.forget()
        self._working.clear()
        self._nodes.clear()
        self._raised = None

    def step(self, translator: Any) -> Generator[None, Any, None]:
        """Dynamo interprets one instruction."""
        pointer = translator.instruction_pointer
        if pointer is None:
            return
        if self._columns.is_full:
            self._columns.skip()
            self._steps.append(_CUT)
            try:
                yield
            finally:
                self._steps.pop()
            return
        work = self._interpretation(translator)
        step = self._columns.step(work.call, pointer)
        if not work.locals:
            self._bind(step, work)  # a call's first step: these are its arguments
        self._steps.append(step)
        try:
            goes_on = yield
        except BaseException as error:
            if error is not self._raised:  # the steps around it are told in their turn
                self._raised = error
                self._columns.event(Event(step, _ending(error), first_line(error)))
            raise
        else:
            if not goes_on and not self._columns.has_ended(step):
                self._columns.event(Event(step, "return"))
        finally:
            self._steps.pop()
            self._bind(step, work)
            values = (self._value(variable) for variable in translator.stack)
            self._columns.stack(step, values)

    def _value(self, variable: Any) -> int:
        return self._columns.value(self._describer.describe(variable))

    def _interpretation(self, translator: Any) -> Interpretation:
        known = self._working.get(id(translator))
        if known is None:
            parent = self._working.get(id(getattr(translator, "parent", None)))
            call = self._columns.call(
                self._code(translator),
                parent.call if parent else -1,
                self._steps[-1] if parent and self._steps else -1,
            )
            known = self._working[id(translator)] = Interpretation(translator, call)
        return known

    def _code(self, translator: Any) -> int:
        code = translator.f_code
        if id(code) not in self._codes:
            texts = self._recorder.texts
            keep_code(code, texts)
            index = self._columns.code(
                readable_name(code.co_qualname),
                texts.span(code.co_filename, code.co_firstlineno, code.co_name),
                instructions(code, translator.instructions, texts),
            )
            self._codes[id(code)] = (code, index)
        return self._codes[id(code)][1]

    def _bind(self, step: int, work: Interpretation) -> None:
        """Keep what changed among the local variables."""
        variables = work.translator.symbolic_locals
        for name, variable in variables.items():
            known = work.locals.get(name)
            if known and known.variable is variable and self._describer.is_settled(variable):
                continue
            value = self._value(variable)
            if not known or known.value != value:
                self._columns.bind(step, name, value)
            work.locals[name] = Bound(variable, value)
        if len(variables) < len(work.locals):
            for name in work.locals.keys() - variables.keys():
                del work.locals[name]
                self._columns.bind(step, name, -1)

    def checkpoint(self, _: Any) -> Generator[None, Any, None]:
        """Dynamo notes a place up to which it could analyse again and break there."""
        self._event("checkpoint")
        yield

    def node_added(self, tracer: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """An instruction adds a node to the graph."""
        node = yield
        step = self._now()
        if step != _CUT:
            text = str(node.target) if node.op == "placeholder" else _call_text(node)
            added = AddedNode(step, node.name, node.op, text, depth=_depth(tracer))
            self._nodes[id(node)] = (node, self._columns.node(added))

    def _row_of(self, node: Any) -> int:
        known = self._nodes.get(id(node))
        return known[1] if known is not None and known[0] is node else -1

    def node_removed(self, _: Any, node: Any) -> Generator[None, Any, None]:
        """A node is taken out of the graph again."""
        row, step = self._row_of(node), self._now()
        if row >= 0 and step != _CUT:
            self._columns.update_node(row, removed=step)
        yield

    def guard_added(
        self, guards: Any, guard: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """An instruction makes Dynamo assume something of a value."""
        step = self._now()
        if guard not in guards.inner and step != _CUT:
            kind, source = guard.create_fn_name(), compat.name_of(guard)
            self._columns.guard(AddedGuard(step, kind, source))
        yield

    def mutated(self, _: Any, variable: Any) -> Generator[None, Any, None]:
        """An instruction changes an object."""
        yield
        described = self._describer.describe(variable)
        if described.source:  # those made in the frame are its own business
            self._event("effect", f"changes {described.source}")

    def attribute_stored(
        self, _: Any, item: Any, name: str, *__: Any, **___: Any
    ) -> Generator[None, Any, None]:
        """An instruction sets an attribute."""
        yield
        described = self._describer.describe(item)
        if described.source:
            self._event("effect", f"sets {described.source}.{name}")

    def compiled(
        self, _: Any, __: Any, reason: Any, *___: Any, **____: Any
    ) -> Generator[None, Any, None]:
        """Dynamo hands over what it has: because of a break, or at the end of the function."""
        if reason.graph_break:
            self._event("break", str(reason.reason).strip().partition("\n")[0])
        else:
            self._event("compile")
        yield

    def _event(self, kind: EventKind, text: str = "") -> None:
        if self._steps and self._steps[-1] != _CUT:
            self._columns.event(Event(self._steps[-1], kind, text))

    def _now(self) -> int:
        """The step under way; between steps the one before, and the first before any."""
        if self._steps:
            return self._steps[-1]
        return _CUT if self._columns.is_full else self._columns.latest()


def _depth(tracer: Any) -> int:
    """How many bodies of higher-order operators lie around what a tracer traces."""
    return 0 if tracer.parent is None else _depth(tracer.parent) + 1


def _call_text(node: Any) -> str:
    return f"{target_name(node)}({arguments_text(node)})"


def _ending(error: BaseException) -> EventKind:
    return "restart" if isinstance(error, hooks.RESTART.get()) else "raise"

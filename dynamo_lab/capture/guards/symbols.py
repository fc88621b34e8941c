"""Symbols: the sizes that compiled code keeps dynamic, and the lines that specialized some."""

from collections.abc import Generator
from typing import Any

from dynamo_lab.capture.core import compat
from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.hooks import TRACING_CONTEXT
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.guards import hooks
from dynamo_lab.model.guards.symbols import ShapeFact, Symbol, SymbolEvent

_LONGEST = 300  # characters of an expression; Inductor can ask for products of many sizes
_MOST_FACTS = 300  # of one compilation


class _Shapes:
    """What one analysis of a frame learned of its symbols."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.made: dict[str, int | None] = {}  # the stacks where symbols were made, by their names
        self.facts: dict[tuple[SymbolEvent, str, str], ShapeFact] = {}


class SymbolProbes:
    """Records the symbols of each compilation when it ends: a restarted analysis has new ones."""

    def __init__(self, recorder: Recorder, compilations: Compilations) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._shapes: dict[str, _Shapes] = {}

    def install(self, patches: Patches) -> None:
        """Watch the making of symbols, and what is assumed of them."""
        patches.hook(hooks.UNBACKED_INT, self.unbacked)
        patches.hook(hooks.UNBACKED_FLOAT, self.unbacked)
        patches.hook(hooks.BACKED, self.backed)
        patches.hook(hooks.REPLACED, self.replaced)
        patches.hook(hooks.GUARDED, self.guarded)
        patches.hook(hooks.COMPILE, self.compilation)

    def backed(
        self, env: Any, val: Any, source: Any, dynamic_dim: Any = None, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """A size of an input becomes a symbol, shares one, or is 0 or 1 and so stays a number."""
        made: Any = yield
        name = compat.name_of(source)
        is_open = getattr(dynamic_dim, "name", "") in ("DYNAMIC", "DUCK")
        if made.is_number and not (is_open and ".size()" in name and int(made) in (0, 1)):
            return
        shapes = self._of(env)
        if shapes is not None and made.is_number:
            self._add(shapes, "zero_one", str(made), source=name)
        elif shapes is not None and str(made) not in shapes.made:
            shapes.made[str(made)] = self._stack()

    def unbacked(self, env: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A number that only the run will know becomes a symbol.

        The backend, which traces the graph again, makes more of them: those have no user's line.
        """
        made = yield
        shapes, stack = self._of(env), self._stack()
        if shapes is not None and stack is not None:
            shapes.made[str(made.node.expr)] = stack

    def replaced(
        self, env: Any, a: Any, tgt: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """A symbol turns out to be a constant, or another symbol."""
        before = env.replacements.get(a)
        yield
        shapes, after = self._of(env), env.replacements.get(a)
        if shapes is None or after is None or after == before:
            return
        event: SymbolEvent = "constant" if after.is_number else "equal"
        self._add(shapes, event, str(after), (str(a),))

    def guarded(
        self, env: Any, prefix: str, g: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """A question about symbols was answered, and the answer becomes a condition."""
        shapes = None if "suppressed" in prefix else self._of(env)
        if shapes is not None:
            event: SymbolEvent = "assert" if "runtime_assert" in prefix else "guard"
            self._add(shapes, event, str(g), tuple(sorted(map(str, g.free_symbols))))
        yield

    def compilation(self, *_: Any, **kwargs: Any) -> Generator[None, Any, None]:
        """Dynamo compiles a frame: keep what is known of its symbols when that ends."""
        compile_id = str(kwargs["compile_id"])
        try:
            yield
        except BaseException as error:
            shapes = self._shapes.get(compile_id)
            if shapes is not None:
                for line in _violations(error):
                    self._add(shapes, "violation", line)
            raise
        finally:
            self._keep(compile_id)

    def _of(self, env: Any) -> _Shapes | None:
        """The facts of the compilation that runs, if this is its own environment of shapes."""
        context: Any = TRACING_CONTEXT.get()()
        compile_id = self._compilations.current_id()
        if not compile_id or context is None or context.fake_mode is None:
            return None
        if context.fake_mode.shape_env is not env:
            return None
        shapes = self._shapes.get(compile_id)
        if shapes is None or shapes.env is not env:
            shapes = self._shapes[compile_id] = _Shapes(env)
        return shapes

    def _add(
        self,
        shapes: _Shapes,
        event: SymbolEvent,
        expression: str,
        symbols: tuple[str, ...] = (),
        source: str = "",
    ) -> None:
        key = (event, expression[:_LONGEST], source or ",".join(symbols))
        if key in shapes.facts or len(shapes.facts) >= _MOST_FACTS:
            return
        compile_id = self._compilations.current_id()
        shapes.facts[key] = ShapeFact(
            frame=self._compilations.frame_of(compile_id) or 0,
            compile_id=compile_id,
            event=event,
            expression=expression[:_LONGEST],
            symbols=symbols,
            source=source,
            stack=self._stack(),
        )

    def _stack(self) -> int | None:
        summary = hooks.STACK.get()()
        return self._recorder.texts.stack_of_summary(summary) if summary else None

    def _keep(self, compile_id: str) -> None:
        shapes = self._shapes.pop(compile_id, None)
        frame = self._compilations.frame_of(compile_id)
        if shapes is None or frame is None:
            return
        for name, stack in shapes.made.items():
            self._recorder.symbols.append(_symbol(name, stack, frame, compile_id, shapes.env))
        known = shapes.made.keys()
        self._recorder.shape_facts.extend(
            fact for fact in shapes.facts.values() if known >= set(fact.symbols)
        )


def _symbol(name: str, stack: int | None, frame: int, compile_id: str, env: Any) -> Symbol:
    symbol = next((known for known in env.var_to_range if str(known) == name), None)
    bounds, hint = env.var_to_range.get(symbol), env.backed_var_to_val.get(symbol)
    sources, value = env.var_to_sources.get(symbol, ()), env.replacements.get(symbol)
    return Symbol(
        frame=frame,
        compile_id=compile_id,
        name=name,
        is_backed=hint is not None,
        hint="" if hint is None else str(hint),
        lower=_bound(bounds and bounds.lower),
        upper=_bound(bounds and bounds.upper),
        sources=tuple(compat.name_of(source) for source in sources),
        stack=stack,
        value="" if value is None else str(value),
    )


def _bound(value: Any) -> str:
    """A bound as a number; infinity, and what stands for it, is none."""
    text = "" if value is None else str(value)
    return text if text.removeprefix("-").isdigit() and len(text) < 18 else ""


def _violations(error: BaseException) -> list[str]:
    """What PyTorch says of each size that was marked dynamic and could not be."""
    text = str(error)
    if "Constraints violated" not in text:
        return []
    found = (line.strip() for line in text.split("\n"))
    return [line[2:] for line in found if line.startswith("- ")]

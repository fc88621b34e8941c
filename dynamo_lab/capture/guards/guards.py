"""Guards: what compiled code assumes of its inputs, and the user's lines that caused it."""

from collections.abc import Callable, Generator
from types import CodeType
from typing import Any

from dynamo_lab.capture.core import compat
from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.guards import hooks
from dynamo_lab.model.guards import Guard

_LONGEST_EXPRESSION = 500  # characters; a guard on a large constant prints all of it


class GuardProbes:
    """Records the guards of each compilation when Dynamo builds the check for them."""

    def __init__(
        self,
        recorder: Recorder,
        compilations: Compilations,
        frame_of: Callable[[CodeType], int],
    ) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._frame_of = frame_of

    def install(self, patches: Patches) -> None:
        """Watch the building of guard checks."""
        patches.hook(hooks.BUILT, self.built)

    def built(
        self, manager: Any, f_code: CodeType, output_graph: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """Dynamo turns the guards of a frame into a check."""
        guards = sorted(output_graph.guards, key=lambda guard: guard.sort_key())
        yield
        frame, compile_id = self._frame_of(f_code), self._compilations.current_id()
        for guard in guards:
            self._recorder.guards.append(self._guard(guard, frame, compile_id))
        scope = output_graph.local_scope
        self._recorder.checks.keep(compile_id, frame, f_code, scope, manager.guard_manager)

    def _guard(self, guard: Any, frame: int, compile_id: str) -> Guard:
        texts = self._recorder.texts
        return Guard(
            frame=frame,
            compile_id=compile_id,
            kind=guard.create_fn_name(),
            source=compat.name_of(guard),
            expressions=tuple(part[:_LONGEST_EXPRESSION] for part in guard.code_list or ()),
            stack=texts.stack_of_summary(guard.user_stack) if guard.user_stack else None,
        )

"""Guards: what compiled code assumes of its inputs, and the user's lines that caused it."""

from collections.abc import Callable, Generator, Iterator
from types import CodeType
from typing import Any

from dynamo_lab.capture.core import compat
from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.guards import hooks
from dynamo_lab.capture.guards.code_parts import CodeParts
from dynamo_lab.capture.guards.costs import kept_by_filters, whole
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.guards.guards import Guard

_MOST_DROPPED = 8

_LONGEST_EXPRESSION = 800  # characters; a guard on a large constant prints all of it


class GuardProbes:
    """Records the guards of each compilation when Dynamo builds the check for them."""

    def __init__(
        self,
        recorder: Recorder,
        compilations: Compilations,
        frame_of: Callable[[CodeType], int],
        failed: Callable[[int, str, BaseException], None],
    ) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._frame_of = frame_of
        self._failed = failed
        self._kept: dict[int, list[Any]] = {}

    def install(self, patches: Patches) -> None:
        """Watch the building of guard checks."""
        patches.hook(hooks.BUILT, self.built)
        patches.hook(hooks.BUILDING, self.building)

    def building(
        self, manager: Any, sorted_guards: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """Dynamo builds a check from guards: the last time, from those that a filter keeps."""
        self._kept[id(manager)] = list(sorted_guards)
        yield

    def built(
        self, manager: Any, f_code: CodeType, output_graph: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """Dynamo turns the guards of a frame into a check."""
        guards = sorted(output_graph.guards, key=lambda guard: guard.sort_key())
        frame, compile_id = self._frame_of(f_code), self._compilations.current_id()
        try:
            yield
        except BaseException as error:  # a size that must be dynamic is not, for example
            self._kept.pop(id(manager), None)
            self._failed(frame, compile_id, error)
            raise
        kept = self._kept.pop(id(manager), guards)
        held = set(map(id, kept))  # a model has thousands of guards
        self._note_dropped([guard for guard in guards if id(guard) not in held])
        guards = kept
        parts = CodeParts(hooks.CODE_PARTS.of(manager.guard_manager))
        for guard in guards:
            self._recorder.guards.append(self._guard(guard, frame, compile_id, parts))
        self._recorder.guards.extend(_on_aliasing(parts, frame, compile_id))
        scope = output_graph.local_scope
        self._recorder.checks.keep(compile_id, frame, f_code, scope, manager.guard_manager)
        if not self._recorder.target:
            scopes = {"L": scope, "G": output_graph.global_scope}
            self._recorder.checks.filters[compile_id] = kept_by_filters(guards, scopes)
            self._time(compile_id, scope, manager.guard_manager, guards)

    def _note_dropped(self, dropped: list[Any]) -> None:
        """A filter of guards took these away."""
        if not dropped:
            return
        each = dict.fromkeys(
            f"{guard.create_fn_name()} on {compat.name_of(guard) or 'the program'}"
            for guard in dropped
        )
        told = ", ".join([*each][:_MOST_DROPPED]) + (", …" if len(each) > _MOST_DROPPED else "")
        message = (
            f"A guard_filter_fn took away {len(each)} of the guards: {told[:_LONGEST_EXPRESSION]}. "
            "The compiled code is used also where they do not hold."
        )
        self._recorder.notes.append(Note(level="info", about="guards", message=message))

    def _time(self, compile_id: str, scope: Any, manager: Any, guards: list[Any]) -> None:
        """A few checks, as Dynamo itself makes some after it built them."""
        told = whole(compile_id, manager.root, scope, len(guards))
        self._recorder.guard_times.append(told)

    def _guard(self, guard: Any, frame: int, compile_id: str, parts: CodeParts) -> Guard:
        texts, source = self._recorder.texts, compat.name_of(guard)
        return Guard(
            frame=frame,
            compile_id=compile_id,
            kind=guard.create_fn_name(),
            source=source,
            expressions=tuple(part[:_LONGEST_EXPRESSION] for part in parts.of(guard, source)),
            stack=texts.stack_of_summary(guard.user_stack) if guard.user_stack else None,
        )


def _on_aliasing(parts: CodeParts, frame: int, compile_id: str) -> Iterator[Guard]:
    """That tensors are not one another: Dynamo adds this check to those on the tensors."""
    for text in dict.fromkeys(parts.aliasing):
        yield Guard(
            frame=frame,
            compile_id=compile_id,
            kind="NO_TENSOR_ALIASING",
            source=text.partition("(")[2].partition(", ")[0],
            expressions=(text[:_LONGEST_EXPRESSION],),
        )

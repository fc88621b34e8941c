"""Packages that could not be made: what AOTInductor raised, at which setting or operator."""

import difflib
import re
import threading
import traceback
from collections.abc import Generator, Iterator
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

from torch import fx

from dynamo_lab.capture.core.hooks import INDUCTOR_SETTINGS
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.packages import hooks
from dynamo_lab.model.packages import PackageFailure, PackagingStage

_LONGEST = 4000  # characters of a message
_UNKNOWN = re.compile(r"torch\._inductor\.config\.([\w.]+) does not exist")


class PackagingProbes:
    """Records each package that was asked for and not made, whoever catches what it raises."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._local = threading.local()

    def install(self, patches: Patches) -> None:
        """Watch the call, and what compiles within it: the call may have been imported by name."""
        patches.hook(hooks.PACKAGE, self.asked)
        patches.hook(hooks.AOT_COMPILE, self.compiled)
        patches.hook(hooks.WRITE_PACKAGE, self.written)

    def asked(
        self, exported_program: Any, *_: Any, package_path: Any = None, **__: Any
    ) -> Generator[None, Any, None]:
        """A package is asked for, of what should be an exported program."""
        yield from self._watched("call", type(exported_program).__name__, str(package_path))

    def compiled(self, gm: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """AOTInductor compiles the graph."""
        yield from self._watched("compile", type(gm).__name__, "")

    def written(self, archive_file: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """What was compiled is written to a file."""
        yield from self._watched("write", "", str(archive_file))

    def _watched(self, stage: PackagingStage, given: str, path: str) -> Generator[None, Any, None]:
        """The innermost stage records what it raises: those around it raise the same again."""
        try:
            yield
        except Exception as error:
            if getattr(self._local, "told", None) is not error:
                self._local.told = error
                self._recorder.package_failures.append(self._failed(stage, given, path, error))
                self._recorder.fail(error, caught=True)
            raise

    def _failed(
        self, stage: PackagingStage, given: str, path: str, error: Exception
    ) -> PackageFailure:
        texts, unknown = self._recorder.texts, _UNKNOWN.search(str(error))
        node = _node_of(error.__traceback__) if stage == "compile" else None
        return PackageFailure(
            stage=stage,
            given=given,
            path=re.split(r"[/\\]", path)[-1],  # where it lies on this machine stays here
            span=self._caller(),
            at=None if node is None else texts.users_span_of_text(node.stack_trace or ""),
            operator="" if node is None else str(node.target),
            setting=unknown[1] if unknown else "",
            near=_like(unknown[1]) if unknown else "",
            error=type(error).__name__,
            message=str(error)[:_LONGEST],
        )

    def _caller(self) -> int | None:
        """The user's line that asks for the package."""
        texts = self._recorder.texts
        around = (frame for frame, _ in traceback.walk_stack(None))
        own = next((one for one in around if texts.is_users(one.f_code.co_filename)), None)
        return None if own is None else texts.span_of_frame(own)


def _like(setting: str) -> str:
    """The setting of Inductor's that is spelled most like this one."""
    known = INDUCTOR_SETTINGS.get().get_config_copy()
    return next(iter(difflib.get_close_matches(setting, known, 1, 0.75)), "")


def _node_of(trace: TracebackType | None) -> fx.Node | None:
    """The operator that the innermost code which has one at hand was about."""
    frames = [frame for frame, _ in traceback.walk_tb(trace)]
    return next((node for frame in reversed(frames) for node in _nodes(frame)), None)


def _nodes(frame: FrameType) -> Iterator[fx.Node]:
    """The operator that a frame of the compiler's handles: as a node, or as what it became."""
    held = frame.f_locals
    for name in ("node", "n", "self"):
        with suppress(Exception):  # objects of the compiler's may refuse to be asked
            one = held.get(name)
            origin = one if isinstance(one, fx.Node) else getattr(one, "origin_node", None)
            if isinstance(origin, fx.Node) and origin.op == "call_function":
                yield origin

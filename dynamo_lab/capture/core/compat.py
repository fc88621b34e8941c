"""The compiler's settings and caches, and what differs there between the releases of PyTorch.

Capabilities are asked of the installed release, not of its version number.
"""

import functools
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import torch

from dynamo_lab.capture.core import hooks
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.private import Private
from dynamo_lab.capture.core.sources import PACKAGE
from dynamo_lab.capture.core.undo import Undo, whole

_PROGRAMS = ("suite", "course", "__pycache__")


def watch_caches(patches: Patches, row: Private) -> None:
    """Compile everything again, so that a compile cache hides nothing from the recording.

    Settings belong to a thread since torch 2.12, so they are set in the thread that compiles,
    around the function of this row.
    """

    def without(*_: Any, **__: Any) -> Generator[None, Any, None]:
        with without_caches():
            yield

    patches.hook(row, without)


@whole
def without_caches() -> Iterator[None]:
    """Take nothing from the compile caches, and put nothing into them, in this thread."""
    with _set(dict.fromkeys(hooks.CACHE_SETTINGS, False)):
        yield


@whole
def _set(values: dict[Private, Any]) -> Iterator[None]:
    """Settings of the compiler as given, those that this PyTorch has."""
    with ExitStack() as stack:
        for row, value in values.items():
            if row.exists:
                config, name = row.place()
                stack.enter_context(config.patch({name: value}))
        yield


@whole
def constants_frozen() -> Iterator[None]:
    """What is compiled in the block takes parameters for constants, folds them, and packs weights.

    As an option of `torch.compile` that comes too late: Dynamo has made inputs of them by then.
    """
    with _set({hooks.FROZEN: True}):
        yield


@whole
def pre_grad_pass(find: Callable[[], Any]) -> Iterator[None]:
    """Inductor runs a pass of its user's on what is compiled in the block, and none afterwards.

    Args:
        find: gives the pass; to import it may put it into the settings, as torchao's does.
    """
    with _set(
        {hooks.PRE_GRAD_PASS: hooks.PRE_GRAD_PASS.get()} if hooks.PRE_GRAD_PASS.exists else {}
    ):
        found = find()
        with _set({hooks.PRE_GRAD_PASS: found}):
            yield


@whole
def settings_kept() -> Iterator[None]:
    """Afterwards Dynamo's, AOTAutograd's and Inductor's settings are what they were before."""
    rows = (hooks.DYNAMO_SETTINGS, hooks.AOTAUTOGRAD_SETTINGS, hooks.INDUCTOR_SETTINGS)
    configs = [row.get() for row in rows if row.exists]
    before = [(config, config.get_config_copy()) for config in configs]
    try:
        yield
    finally:
        for config, settings in before:
            now = config.get_config_copy()
            for name in (name for name in settings if now[name] != settings[name]):
                setattr(config, name, settings[name])


def skip_our_frames(undo: Undo) -> None:
    """Have Dynamo skip this package's own functions, as it skips those of PyTorch.

    The suite's models and the course's functions are programs like anyone's.
    """
    if not (hooks.SKIPPED_FOLDERS.exists and hooks.SKIP_AGAIN.exists):
        return
    folders, again = hooks.SKIPPED_FOLDERS.get(), hooks.SKIP_AGAIN.get()

    def skip(those: list[str]) -> None:
        folders[:] = those
        again()

    before = list(folders)
    undo.add(skip, before)
    skip([*before, *_ours()])


def _ours() -> Iterable[str]:
    return [path.as_posix() for path in PACKAGE.iterdir() if path.name not in _PROGRAMS]


def modes() -> list[str]:
    """The modes that `torch.compile` takes."""
    return ["default", *(hooks.LIST_MODES.get()() if hooks.LIST_MODES.exists else ())]


def errors_are_suppressed() -> bool:
    """Whether Dynamo leaves a function to Python where compiling it fails."""
    return bool(hooks.SUPPRESSED.get())


def forget_compiled_code() -> None:
    """Let Dynamo look at every function again, also at those that it has compiled or skipped."""
    hooks.RESET.get()()


def name_of(source: Any) -> str:
    """The expression of a source, or of what a guard is on: "L['x']"; empty where it has none."""
    try:
        name = source.name
        return str(name() if callable(name) else name)  # a method before torch 2.12
    except NotImplementedError:
        return ""


@whole
def empty_compile_caches() -> Iterator[None]:
    """Compile with empty caches, except C++ headers, which are precompiled once per machine."""
    raised = None
    with hooks.FRESH_CACHE.get()():
        try:
            yield
        except BaseException as error:  # or else it keeps the folder, and logs so
            raised = error
    if raised is not None:
        raise raised


@whole
def many_ways() -> Iterator[None]:
    """Compile a function more often than Dynamo's limit, beyond which it would run eagerly."""
    with _set(dict(zip(hooks.RECOMPILE_LIMITS, (256, 4096), strict=True))):
        yield


@whole
def compilations_counted() -> Iterator[list[object]]:
    """What Dynamo starts to compile meanwhile, an entry each; it grows while this is open."""
    started: list[object] = []
    handler = hooks.COMPILE_CALLBACKS.get()
    handler.register_start_callback(started.append)
    try:
        yield started
    finally:
        if started.append in handler.start_callbacks:  # a reset empties the list
            handler.start_callbacks.remove(started.append)


@functools.cache
def warm_up_inductor(device: str) -> None:
    """Compile something small, so that no program pays for the first compilation of a process.

    It is done once a process: what imports, probes of the compiler and the device took is paid.
    """

    def small(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    with empty_compile_caches(), torch.no_grad():
        torch.compile(small)(torch.ones(8, device=device))

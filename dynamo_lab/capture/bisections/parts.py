"""Parts of the compiler, each of which can be turned off: rules, passes, rewrites, lowerings.

PyTorch's own bisector asks one function before each part runs. While `watched` lasts we answer it.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from dynamo_lab.capture.bisections import hooks
from dynamo_lab.capture.core import hooks as core_hooks
from dynamo_lab.capture.core.compat import without_caches
from dynamo_lab.capture.core.compiled_apart import OF_DYNAMO
from dynamo_lab.capture.core.private import Private
from dynamo_lab.capture.core.undo import Undo, whole
from dynamo_lab.capture.passes.patterns import pattern_name
from dynamo_lab.model.bisections import PartKind

_KINDS: dict[str, PartKind] = {"decomposition": "decomposition", "lowerings": "lowering"}

KEPT = ("decompose_", "stable_sort", "fix_auto_functionalized", "remove_assert_ops")
"""Passes without which a graph cannot be lowered."""


class Part(NamedTuple):
    """A part that was about to run: its name, and how many of that name came before it."""

    kind: PartKind
    name: str
    number: int = 0
    inside: str = ""
    """The pass that a rewrite is of."""


Allowed = Callable[[Part], bool]


class Parts:
    """The parts of one compilation, in the order in which they were about to run."""

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        self._counts: Counter[tuple[PartKind, str]] = Counter()
        self.seen: dict[Part, None] = {}
        self._pass = ""

    def runs(self, kind: PartKind, name: str, *, counted: bool = True) -> bool:
        """Whether a part is to run; all of one name alike, unless they are counted."""
        number = self._counts[kind, name] if counted else 0
        self._counts[kind, name] += 1
        part = Part(kind, name, number, self._pass if kind == "rewrite" else "")
        self.seen[part] = None
        return self._allowed(part)

    def disabled(self, _: str, subsystem: str, debug_info: Any = None) -> bool:
        """The answer to PyTorch's question whether a part is turned off."""
        kind = _KINDS.get(subsystem)
        if kind is None or debug_info is None:
            return False
        name = str(debug_info())
        if kind == "decomposition":
            name = _operator(name)
        return not self.runs(kind, name, counted=kind != "decomposition")

    def pass_disabled(self, original: Any, observer: Any) -> bool:
        """The same of a pass."""
        self._pass = observer.passname
        if original(observer):
            return True
        if observer.passname.startswith(KEPT):
            return False
        return not self.runs("pass", observer.passname)

    def rewritten(self, original: Any, entry: Any, *args: Any) -> Any:
        """Let a pattern that was found be rewritten, or not."""
        return original(entry, *args) if self.runs("rewrite", pattern_name(entry)) else None

    def fusable(
        self, original: Any, scheduler: Any, one: Any, two: Any, *args: Any, **kw: Any
    ) -> Any:
        """Let two operations be fused, or not."""
        if not original(scheduler, one, two, *args, **kw):
            return False
        return self.runs("fusion", f"{one.get_name()} + {two.get_name()}", counted=False)


def _operator(text: str) -> str:
    """'aten.gelu.default' of "<OpOverload(op='aten.gelu', overload='default')>"."""
    words = text.split("'")
    return f"{words[1]}.{words[3]}" if len(words) > 3 else text


@whole
def watched(allowed: Allowed) -> Iterator[Parts]:
    """Ask `allowed` of each part before it runs; nothing comes from a compile cache meanwhile."""
    parts, undo = Parts(allowed), Undo()
    try:
        owner, name = hooks.DISABLE.place()
        undo.replace(owner, name, staticmethod(parts.disabled))
        _replace(undo, hooks.DISABLE_PASS, parts.pass_disabled)
        for row in hooks.REWRITES:
            _replace(undo, row, parts.rewritten)
        _replace(undo, hooks.FUSABLE, parts.fusable)
        with without_caches():
            yield parts
    finally:
        undo.run()


def _replace(undo: Undo, row: Private, ours: Callable[..., Any]) -> None:
    """Send the calls of a method through ours, which gets the method first."""
    owner, name = row.place()
    original = vars(owner)[name]

    @functools.wraps(original)
    def through(*args: Any, **kwargs: Any) -> Any:
        return ours(original, *args, **kwargs)

    undo.replace(owner, name, through)


@whole
def settings(mode: str | None, chosen: dict[str, Any]) -> Iterator[None]:
    """Inductor's settings as a mode and these have them."""
    of_mode = core_hooks.LIST_MODES.get()().get(mode, {}) if mode else {}
    own = {name: value for name, value in chosen.items() if name not in OF_DYNAMO}
    values = {**of_mode, **own}
    if not values:
        yield
        return
    with hooks.SETTINGS.get().patch(values):
        yield

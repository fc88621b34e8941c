"""Calls back once Inductor has been imported, by whoever imports it: most backends never do.

Importing it takes seconds, so a recording does not do so by itself. Python asks each finder of
`sys.meta_path` for a module; ours lets the others find it, and has the loader tell when it is done.
"""

import importlib.machinery
import sys
import types
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.undo import Undo
from dynamo_lab.capture.lowering.hooks import COMPILE_FX


def when_imported(patches: Patches, undo: Undo, then: Callable[[], None]) -> None:
    """Do something right after Inductor was imported, before whoever imported it goes on."""
    finder = _Finder(COMPILE_FX.module, lambda: patches.run(then))
    undo.add(_remove, finder)
    sys.meta_path.insert(0, finder)


def _remove(finder: MetaPathFinder) -> None:
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)


class _Finder(MetaPathFinder):
    def __init__(self, module: str, then: Callable[[], None]) -> None:
        self._module = module
        self._then = then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """What the other finders find, with a loader that tells; nothing of other modules."""
        if fullname != self._module:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        asked = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((found for found in asked if found is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Telling(spec.loader, self._then)
        return spec


class _Telling(Loader):
    """Another loader, and afterwards a word. The module knows that other one as its loader."""

    def __init__(self, loader: Loader, then: Callable[[], None]) -> None:
        self._loader = loader
        self._then = then

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._then()

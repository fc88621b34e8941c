"""Builds: how long a compiler's process took for each C++ kernel."""

import os
import threading
from collections.abc import Generator, Sequence
from typing import Any

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.kernels import hooks


class BuildProbes:
    """Ties the files that the C++ compiler is started for to the kernels that are in them."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._local = threading.local()
        self._kernels: dict[str, int] = {}

    def install(self, patches: Patches) -> None:
        """Watch who asks for a build, which file it is of, and the builds."""
        patches.hook(hooks.BUILD_ASKED, self.asked)
        patches.hook(hooks.BUILD_WRITTEN, self.written)
        patches.hook(hooks.BUILT, self.built)

    def asked(
        self, compiler: Any, argtypes: Any, source_code: str, *_: Any
    ) -> Generator[None, Any, None]:
        """The wrapper asks for a kernel: what is not built now has been built before."""
        code = source_code.strip("\n")
        same = [kernel for kernel in self._recorder.kernels if kernel.code.strip("\n") == code]
        for kernel in same:
            if kernel.built_in is None:
                self._recorder.update(self._recorder.kernels, kernel.id, built_in=0.0)
        self._local.kernel = same[-1].id if same else None
        try:
            yield
        finally:
            self._local.kernel = None

    def written(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A file is written for the compiler; its lock has the same key."""
        key, _path = yield
        kernel = getattr(self._local, "kernel", None)
        if kernel is not None:
            self._kernels[key] = kernel
            self._local.kernel = None  # headers may follow, which are of no kernel

    def built(self, lock_path: str, builders: Sequence[Any], *_: Any) -> Generator[None, Any, None]:
        """The compiler builds a kernel, in a thread; a second time nothing is left to do."""
        kernel = self._kernels.get(os.path.basename(lock_path).partition(".")[0])
        needed = any(not os.path.exists(one.get_target_file_path()) for one in builders)
        started = self._recorder.now()
        yield
        if kernel is not None and needed:
            spent = self._recorder.now() - started
            known = self._recorder.kernels[kernel].built_in or 0.0
            self._recorder.update(self._recorder.kernels, kernel, built_in=round(known + spent, 6))

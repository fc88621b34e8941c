"""The buckets for which DDP's optimizer cuts a captured graph, as it has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.capture.ranks import hooks
from dynamo_lab.model.ranks.splits import Bucket, Split

if TYPE_CHECKING:
    from collections.abc import Generator

    from dynamo_lab.capture.core.compilations import Compilations
    from dynamo_lab.capture.core.patches import Patches
    from dynamo_lab.capture.core.recorder import Recorder


class SplitProbes:
    """Records how DDP splits graphs."""

    def __init__(self, recorder: Recorder, compilations: Compilations) -> None:
        self._recorder = recorder
        self._compilations = compilations

    def install(self, patches: Patches) -> None:
        """Watch DDP's optimizer, once it is loaded."""
        patches.hook(hooks.SPLITTER, self.split)

    def split(self, optimizer: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """DDP's optimizer gets a captured graph; it keeps the buckets that it makes of it."""
        before = getattr(optimizer, "buckets", None)
        captured = [g.id for g in self._recorder.graphs if g.stage == "dynamo"]
        try:
            yield
        finally:
            buckets = getattr(optimizer, "buckets", None)
            if buckets and buckets is not before:  # none where it raised first
                self._recorder.splits.append(
                    Split(
                        compile_id=self._compilations.current_id(),
                        graph=captured[-1] if captured else None,
                        first_limit=int(optimizer.first_bucket_cap),
                        limit=int(optimizer.bucket_bytes_cap),
                        buckets=tuple(map(_bucket, reversed(buckets))),
                    )
                )


def _bucket(of: Any) -> Bucket:
    return Bucket(
        bytes=int(of.size),
        parameters=tuple(map(str, of.params)),
        operators=len(of.nodes),
        extended=int(of.opcount_increased_to_capture_external_output),
    )

"""Which nodes each node that a pass made stands for."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording


def rewritten(recording: Recording) -> dict[tuple[str, str], list[str]]:
    """For each node that a pass made, the names of those that it replaced.

    A node is named by its compilation and its own name.
    """
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for item in recording.passes:
        compile_id = recording.pipelines[item.pipeline].compile_id
        for match in item.matches:
            for node in match.after:
                found[compile_id, node.name] += match.gone
        for change in item.changes:
            for placed in change.added:
                if (compile_id, placed.node.name) not in found:
                    found[compile_id, placed.node.name] += change.removed
    return found

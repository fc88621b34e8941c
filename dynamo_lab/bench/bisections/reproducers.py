"""A stand-alone file that compiles one graph and compares it with eager, and an issue's text."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from dynamo_lab.bench.bisections.shrinking import smallest
from dynamo_lab.capture.bisections.files import GraphFile, graph_file
from dynamo_lab.capture.bisections.graphs import StagedBackend
from dynamo_lab.capture.core.compat import many_ways
from dynamo_lab.errors import BisectionError
from dynamo_lab.model.core.files import write_output
from dynamo_lab.model.core.host import version_of
from dynamo_lab.record.replay import told, without_trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dynamo_lab.capture.bisections.graphs import Held
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.recording import Recording


class Reproducer(NamedTuple):
    """The text of a Python file that needs torch alone: it raises if the fault is there.

    `fault` is what it raised when it was run here, empty if it ran to its end.
    """

    text: str
    summary: str
    fault: str
    versions: Mapping[str, str]

    def __str__(self) -> str:
        return self.text

    def save(self, path: str | Path) -> None:
        """Write the file.

        Raises:
            OutputError: it cannot be written.
        """
        write_output(path, self.text)

    def issue(self) -> str:
        """The text of an issue for PyTorch, as Markdown.

        Raises:
            BisectionError: the file runs to its end, so that there is nothing to report.
        """
        if not self.fault:
            raise BisectionError(
                "There is nothing to report: in this file eager and compiled agree. "
                "str(reproducer) is the file."
            )
        versions = "\n".join(f"{name} {version}" for name, version in self.versions.items())
        return (
            f"### 🐛 Describe the bug\n\n{self.summary}\n\n```python\n{self.text}```\n\n"
            f"### Error logs\n\n```\n{self.fault}\n```\n\n### Versions\n\n```\n{versions}\n```\n"
        )


def reproducer(
    held: Held | None,
    lines: Sequence[str],
    versions: Mapping[str, str],
    *,
    shows_fault: bool,
) -> Reproducer:
    """Of a graph with the arguments it was given; made smaller as long as the file still raises.

    Raises:
        BisectionError: there is no such graph, or its arguments were not kept.
    """
    if held is None or held.inputs is None:
        raise BisectionError(
            "There is no graph to reproduce: none was captured, its arguments were too large to "
            "keep, or none by itself is wrong."
        )
    known = {**versions, "python": platform.python_version(), "platform": platform.platform()}
    comments = [*lines, " ".join(f"{name} {version}" for name, version in known.items())]
    file = graph_file(held.module, held.inputs, comments)
    file, fault = smallest(file) if shows_fault else _random(file)
    return Reproducer(file.text(), lines[0], fault, known)


def _random(file: GraphFile) -> tuple[GraphFile, str]:
    """The file with random inputs, if it runs with them, and what it raises."""
    file = file.with_random() if file.with_random().runs_in_eager() else file
    error = file.run()
    return file, "" if error is None else told(error)


def reproducer_of(
    recording: Recording, session: Session, graph: int | None, kernel: int | None
) -> Reproducer:
    """Of a captured graph of a recorded program, which runs again for its arguments.

    Raises:
        BisectionError: the program is not available, or there is no such graph or kernel.
    """
    number = graph if kernel is None else _graph_of(recording, kernel)
    held = _captured(session, number or 0)
    about = f"Graph {(number or 0) + 1} of {recording.title}"
    about += "" if kernel is None else f", for the kernel {recording.kernels[kernel].name}"
    versions = {name: version_of(name) for name in ("torch", "triton")}
    known = {name: version for name, version in versions.items() if version}
    return reproducer(held, [about], known, shows_fault=False)


def _graph_of(recording: Recording, kernel: int) -> int:
    """Which captured graph a kernel is of, counted from 0."""
    if not 0 <= kernel < len(recording.kernels):
        raise BisectionError(f"There is no kernel {kernel}: there are {len(recording.kernels)}.")
    of = recording.kernels[kernel].graph
    compiled = recording.graphs[of].compile_id if of is not None else ""
    for number, captured in enumerate(recording.captured_graphs()):
        if captured.compile_id == compiled:
            return number
    raise BisectionError(f"The graph of kernel {kernel} is not known.")


def _captured(session: Session, number: int) -> Held:
    """A graph as it is captured when the program runs again, with its arguments."""
    import torch

    program = session.program
    if program is None:
        raise BisectionError(
            "There is no program to run: this recording was loaded from a file, or made with "
            "record() or %%record. Use explore() or %%compile."
        )
    fn, args, kwargs = program.call()
    backend, untyped = StagedBackend(lambda _: "eager", keeps=True), cast("Any", torch)
    records = torch.set_grad_enabled(program.choice.grad is not False)
    with many_ways(), without_trace([fn, args, dict(kwargs)]), records:
        untyped.compile(fn, backend=backend, dynamic=program.choice.dynamic)(*args, **kwargs)
    if not 0 <= number < len(backend.graphs):
        raise BisectionError(f"There is no graph {number}: {len(backend.graphs)} were captured.")
    return backend.graphs[number]

"""A recording written for other tools."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dynamo_lab.errors import ExportError, OptionError
from dynamo_lab.model.core.files import write_output
from dynamo_lab.model.recording import Recording

Format = Literal["perfetto", "model-explorer", "tritonparse"]

_Files = Iterator[tuple[str, str]]


class _Writer(NamedTuple):
    files: Callable[[Recording], _Files]
    opens: str


def export(recording: Recording, path: str | Path, format: str) -> tuple[Path, ...]:
    """Write a recording for another tool, and return the files that were written.

    A name that ends in ".gz" makes the file compressed.

    Raises:
        OptionError: there is no such format.
        ExportError: the recording contains nothing to write in this format.
        OutputError: a file cannot be written.
    """
    writer = _writer(format)
    made = [(_beside(Path(path), part), text) for part, text in writer.files(recording)]
    for file, text in made:
        _write(file, text)
    return tuple(file for file, _ in made)


def how_to_open(format: str) -> str:
    """How to open a format, in a sentence."""
    return _writer(format).opens


def _writer(format: str) -> _Writer:
    if format not in _WRITERS:
        raise OptionError(f"There is no format {format!r}: pass {', '.join(_WRITERS)}.")
    return _WRITERS[format]


def _perfetto(recording: Recording) -> _Files:
    from dynamo_lab.render.export.perfetto import trace
    from dynamo_lab.view.benchmarks.trace import build

    groups = build(recording)
    if not groups:
        raise ExportError(
            "The recording has no times, so there is no trace to draw: record something that "
            "torch.compile compiles, or measure it with rec.bench()."
        )
    yield "", _json(trace(recording.title, groups))


def _model_explorer(recording: Recording) -> _Files:
    from dynamo_lab.render.export import model_explorer
    from dynamo_lab.view.benchmarks.time_marks import calls_of, node_times
    from dynamo_lab.view.benchmarks.timed_nodes import TimedNodes

    if not recording.graphs:
        raise ExportError(
            "The recording has no graph to export: record something that torch.compile compiles."
        )
    yield "", _json(model_explorer.collection(recording))
    if sizes := model_explorer.sizes(recording):
        yield ".bytes", _json(sizes)
    if (found := recording.benchmark) is not None:
        calls = calls_of(found, TimedNodes(recording))
        if times := model_explorer.times(recording, node_times(found, calls)):
            yield ".times", _json(times)


def _tritonparse(recording: Recording) -> _Files:
    from dynamo_lab.render.export.tritonparse import events

    lines = [_json(event) for event in events(recording)]
    if not lines:
        raise ExportError(
            "The recording has no Triton kernel with assembly: record one with "
            'lab.lower(fn, *args, target="cuda:sm_90", assembly=True).'
        )
    yield "", "".join(f"{line}\n" for line in lines)


_WRITERS: dict[str, _Writer] = {
    "perfetto": _Writer(_perfetto, "Open it in https://ui.perfetto.dev or chrome://tracing."),
    "model-explorer": _Writer(
        _model_explorer,
        "Open the first in Model Explorer (pip install ai-edge-model-explorer; model-explorer "
        "FILE), and add the others there as node data.",
    ),
    "tritonparse": _Writer(
        _tritonparse,
        "Prepare it with `tritonparseoss parse FILE -o FOLDER`, which needs a file named "
        "dedicated_log_triton_trace_NAME.ndjson, and open the result in tritonparse's page.",
    ),
}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _beside(path: Path, part: str) -> Path:
    """`run.json` itself, or "run.bytes.json" beside it."""
    if not part:
        return path
    name = path.name.removesuffix(".gz")
    stem, dot, extension = name.rpartition(".")
    made = f"{stem}{part}.{extension}" if dot and stem else f"{name}{part}"
    return path.with_name(made + path.name[len(name) :])


def _write(path: Path, text: str) -> None:
    data = text.encode("utf-8", "replace")  # a lone surrogate has no UTF-8
    write_output(path, gzip.compress(data, mtime=0) if path.name.endswith(".gz") else data)

"""dynamo_lab: the compiler explorer for PyTorch, in the notebook."""

# rooms, loaded before the functions that have their names
import dynamo_lab.bench  # pyright: ignore[reportUnusedImport]
import dynamo_lab.tiny  # noqa: F401  # pyright: ignore[reportUnusedImport]
from dynamo_lab import compiler, course
from dynamo_lab.api.atlas import atlas
from dynamo_lab.api.attention.attention import attention
from dynamo_lab.api.benchmarks.bench import bench
from dynamo_lab.api.bisections.why_wrong import why_wrong
from dynamo_lab.api.check import check
from dynamo_lab.api.decompose import decompose
from dynamo_lab.api.diff import diff
from dynamo_lab.api.explore import explore, record
from dynamo_lab.api.fast_path.fast_path import fast_path
from dynamo_lab.api.layouts.layouts import layouts
from dynamo_lab.api.lower import lower
from dynamo_lab.api.packages import open_package, package
from dynamo_lab.api.precision.precision import precision
from dynamo_lab.api.quantization.quantize import quantize
from dynamo_lab.api.ranks.jobs import open_job, ranks
from dynamo_lab.api.recording import Recording, load
from dynamo_lab.api.side_by_side import beside
from dynamo_lab.api.tiny.tiny import tiny
from dynamo_lab.api.traces import open_trace
from dynamo_lab.bench.limits import limits
from dynamo_lab.notebook.magic import load_ipython_extension
from dynamo_lab.record.user_passes import passes

__all__ = [
    "Recording",
    "atlas",
    "attention",
    "bench",
    "beside",
    "check",
    "compiler",
    "course",
    "decompose",
    "diff",
    "explore",
    "fast_path",
    "layouts",
    "limits",
    "load",
    "load_ipython_extension",
    "lower",
    "open_job",
    "open_package",
    "open_trace",
    "package",
    "passes",
    "precision",
    "quantize",
    "ranks",
    "record",
    "tiny",
    "why_wrong",
]

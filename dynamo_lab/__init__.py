"""dynamo_lab: the compiler explorer for PyTorch, in the notebook."""

# a room, loaded before the function that has its name
import dynamo_lab.bench  # noqa: F401  # pyright: ignore[reportUnusedImport]
from dynamo_lab import course
from dynamo_lab.atlas import atlas
from dynamo_lab.benchmark import bench
from dynamo_lab.check import check
from dynamo_lab.decompose import decompose
from dynamo_lab.diff import diff
from dynamo_lab.explore import explore, record
from dynamo_lab.limits import limits
from dynamo_lab.lower import lower
from dynamo_lab.magic import load_ipython_extension
from dynamo_lab.packages import open_package, package
from dynamo_lab.passes import passes
from dynamo_lab.recording import Recording, load
from dynamo_lab.traces import open_trace

__all__ = [
    "Recording",
    "atlas",
    "bench",
    "check",
    "course",
    "decompose",
    "diff",
    "explore",
    "limits",
    "load",
    "load_ipython_extension",
    "lower",
    "open_package",
    "open_trace",
    "package",
    "passes",
    "record",
]

"""Inductor is imported by who needs it, not by the recording, and is watched from then on."""

import subprocess
import sys

PROGRAM = """
import sys
import torch
import dynamo_lab

NAME = "torch._inductor.compile_fx"
finders = list(sys.meta_path)

def fn(x):
    return torch.relu(x) + 1

with dynamo_lab.record() as recorder:
    torch.compile(fn, backend="aot_eager")(torch.ones(8))
stages = {graph.stage for graph in recorder.recording.graphs}
assert "forward" in stages or "inference" in stages, stages
assert NAME not in sys.modules
assert "dynamo_lab.capture.inductor" not in sys.modules
with dynamo_lab.record() as recorder:
    torch.compile(fn)(torch.ones(8))
assert [kernel.language for kernel in recorder.recording.kernels] == ["cpp"]
assert type(sys.modules[NAME].__loader__).__module__ == "_frozen_importlib_external"
assert sys.modules[NAME].__spec__.loader is sys.modules[NAME].__loader__
assert sys.meta_path == finders
assert not recorder.recording.notes, recorder.recording.notes
"""


def test_a_recording_imports_no_inductor_and_watches_it_once_it_is_imported() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]

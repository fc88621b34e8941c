"""What is shown of a kernel's statements, and of its assembly."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dynamo_lab.api.recording import load
from dynamo_lab.errors import AssemblyError, OptionError
from dynamo_lab.live.assembly.assembly import ask
from dynamo_lab.live.session import Session
from dynamo_lab.model.core.codec import save
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build

Make = Callable[[str], Recording]


def test_a_statement_has_the_line_that_most_of_its_nodes_come_from(make: Make) -> None:
    kernel = build(make("assembled")).kernels.kernels[0]
    # the third line serves lines of two files, the seventh is for nothing known
    assert kernel.origins == ((4, 1, 6), (5, 1, 6), (6, 1, 6), (8, 0, 1))
    assert kernel.coverage == "83 % of the 6 statements tied to your lines"


def test_a_kernel_without_statements_claims_nothing(make: Make) -> None:
    kernel = build(make("assembled")).kernels.kernels[1]
    assert (kernel.origins, kernel.coverage) == ((), "")


def test_resources_in_words(make: Make) -> None:
    (shown,) = build(make("assembled")).kernels.assemblies
    assert shown.resources == (
        "72 registers per thread",
        "2 KiB of shared memory per block",
        "nothing spilled",
        "128 threads per block",
        "occupancy 44 %, limited by registers",
    )
    assert [level.name for level in shown.levels] == ["TTIR", "PTX"]
    assert shown.levels[0].lines == (1, 4, 2, 5)


def test_a_kernel_is_offered_for_every_gpu_its_own_first(make: Make) -> None:
    gpus = build(make("assembled")).kernels.gpus
    assert gpus[0] == "cuda:sm_90"
    assert {"cuda:sm_80", "rocm:gfx942"} < set(gpus)
    assert build(make("branch_and_print")).kernels.gpus == ()


def test_what_is_stored_is_given_and_nothing_else_of_a_file_is_compiled(
    make: Make, tmp_path: Path
) -> None:
    save(make("assembled"), tmp_path / "file.json")
    recording = load(tmp_path / "file.json")
    assert recording.assembly(0) == recording.assemblies[0]
    with pytest.raises(AssemblyError, match="code from a file is not compiled"):
        recording.assembly(0, "cuda:sm_80")


def test_what_cannot_be_asked(make: Make) -> None:
    with pytest.raises(AssemblyError, match="no kernel 7: ids are 0 to 1"):
        ask(make("assembled"), Session(), 7)
    with pytest.raises(OptionError, match="no target 'tpu'"):
        ask(make("assembled"), Session(), 0, "tpu")
    with pytest.raises(AssemblyError, match="relower"):
        ask(make("assembled"), Session(), 1, "cpu:avx2")

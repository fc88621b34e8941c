"""Assemblies in a recording, and how much of a chip a kernel fills."""

import pytest
from msgspec.structs import replace

from dynamo_lab.model.assembly import Level, occupancy
from dynamo_lab.model.core.codec import decode, encode
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.targets import parse
from dynamo_lab.model.validate import validate
from tests.view.samples import assembled


def test_they_survive_a_file() -> None:
    recording = assembled()
    assert validate(recording) is None
    assert decode(encode(recording)) == recording


def changed(**fields: object) -> Recording:
    recording = assembled()
    return replace(recording, assemblies=(replace(recording.assemblies[0], **fields),))


@pytest.mark.parametrize(
    ("recording", "problem"),
    [
        (changed(kernel=9), "assemblies[0].kernel is 9, but there are 2 kernels"),
        (changed(levels=(Level("PTX", "a\nb", ((3, 1),)),)), "is 3, but there are 2 lines of PTX"),
        (changed(levels=(Level("PTX", "a\nb", ((0, 1),)),)), "is 0, but there are 2 lines of PTX"),
        (changed(levels=(Level("PTX", "a", ((1, 9),)),)), "is 9, but there are 8 lines of the ker"),
    ],
)
def test_what_points_nowhere_is_refused(recording: Recording, problem: str) -> None:
    assert problem in (validate(recording) or "")


@pytest.mark.parametrize(
    ("target", "threads", "registers", "shared", "share", "limit"),
    [
        # NVIDIA's occupancy calculator gives these
        ("cuda:sm_90", 128, 32, 0, 1.0, ""),
        ("cuda:sm_90", 256, 128, 0, 0.25, "registers"),
        ("cuda:sm_90", 128, 32, 100 << 10, 2 * 4 / 64, "shared memory"),
        ("cuda:sm_90", 32, 16, 0, 0.5, "the number of blocks"),
        ("cuda:sm_80", 1024, 33, 0, 0.5, "registers"),
        ("cuda:sm_86", 1024, 32, 0, 32 / 48, "threads"),
        # 512 registers a lane in each of four SIMDs, which hold eight wavefronts each
        ("rocm:gfx942", 256, 64, 0, 1.0, ""),
        ("rocm:gfx942", 256, 128, 0, 0.5, "registers"),
        ("rocm:gfx942", 256, 64, 32 << 10, 2 * 4 / 32, "shared memory"),
    ],
)
def test_occupancy(
    target: str, threads: int, registers: int, shared: int, share: float, limit: str
) -> None:
    found = parse(target)
    assert found is not None
    assert found.chip is not None
    got = occupancy(found.chip, threads, registers, shared, found.kind == "rocm")
    assert got == (pytest.approx(share), limit)

"""Names of targets, and what the chips behind them are."""

import pytest

from dynamo_lab.model.targets import known, parse


def test_every_known_name_is_a_target_of_that_name() -> None:
    for name in known():
        target = parse(name)
        assert target is not None
        assert target.name == name


@pytest.mark.parametrize(
    ("name", "means"), [("cuda", "cuda:sm_90"), ("ROCM", "rocm:gfx942"), (" cpu ", "cpu")]
)
def test_a_kind_alone_means_its_usual_architecture(name: str, means: str) -> None:
    target = parse(name)
    assert target is not None
    assert target.name == means


@pytest.mark.parametrize("name", ["", "gpu", "cuda:sm_1", "cuda:0", "mps:m3", "cpu:sse"])
def test_other_names_are_none(name: str) -> None:
    assert parse(name) is None


@pytest.mark.parametrize(
    ("name", "capability"),
    [("cuda:sm_80", (8, 0)), ("cuda:sm_100", (10, 0)), ("rocm:gfx942", (9, 4)), ("mps", (0, 0))],
)
def test_capability_is_read_from_the_architecture(name: str, capability: tuple[int, int]) -> None:
    target = parse(name)
    assert target is not None
    assert target.capability == capability


def test_rocm_is_a_cuda_device_to_pytorch() -> None:
    target = parse("rocm")
    assert target is not None
    assert (target.device, target.chip and target.chip.warp) == ("cuda", 64)

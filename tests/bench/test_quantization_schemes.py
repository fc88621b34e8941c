"""Which schemes of quantization are tried on which device."""

import pytest

from dynamo_lab.bench.quantization.schemes import SCHEMES, why_not


@pytest.mark.parametrize(("device", "tried"), [("cpu", SCHEMES), ("cuda", SCHEMES[1:3])])
def test_kernels_of_the_cpu_are_not_tried_on_a_gpu(device: str, tried: tuple[str, ...]) -> None:
    assert tuple(one for one in SCHEMES if not why_not(one, device)) == tried

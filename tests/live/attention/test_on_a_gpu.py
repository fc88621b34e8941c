"""The rules against PyTorch's own choice on the CUDA device that is here, 300 configurations."""

from collections import Counter

import pytest
import torch

from dynamo_lab.capture.attention.attention import problem_of
from dynamo_lab.capture.attention.here import chosen, platform_here, refusal
from dynamo_lab.capture.attention.settings import settings
from dynamo_lab.model.attention.choice import choose
from tests.live.attention.configurations import configurations, nested

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


def test_the_rules_are_pytorch_s_on_this_gpu() -> None:
    """Prints what was decided; `pytest -s` shows how much of it is said to be unknown."""
    platform = platform_here(torch.device("cuda"))
    assert platform is not None
    differing: list[str] = []
    counts = Counter[str]()
    for one in configurations(300, "cuda"):
        choice = choose(problem_of(one.named, settings()), platform)
        found = chosen(*one.tensors, **one.options)
        counts[choice.kernel or "unknown"] += 1
        if choice.kernel and choice.kernel != found:
            words = {v.kernel: refusal(v.kernel, *one.tensors, **one.options)
                     for v in choice.verdicts if v.kernel != "math"}  # fmt: skip
            shapes = [t is not None and (t.dtype, t.shape, t.stride()) for t in one.tensors]
            differing.append(f"{choice} / PyTorch: {found}, {words}, {one.options}, {shapes}")
    print(platform, dict(counts))
    assert differing == []
    assert counts["unknown"] <= 60


def test_each_verdict_on_a_kernel_is_pytorch_s_on_this_gpu() -> None:
    """Each kernel alone: refused by a rule is refused by PyTorch, and the other way round."""
    platform = platform_here(torch.device("cuda"))
    assert platform is not None
    differing: list[str] = []
    for one in configurations(300, "cuda", seed=1):
        for verdict in choose(problem_of(one.named, settings()), platform).verdicts:
            if verdict.kernel == "math" or verdict.state == "unknown":
                continue
            said = refusal(verdict.kernel, *one.tensors, **one.options)
            if (said is not None) != (verdict.state == "refused"):
                differing.append(f"{verdict} / PyTorch: {said!r}, {one.options}")
    assert differing == []


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_of_nested_tensors_only_what_is_known_is_said() -> None:
    """Prints what PyTorch chooses: which lengths there are is not among what we look at."""
    platform = platform_here(torch.device("cuda"))
    assert platform is not None
    counts = Counter[tuple[str, str | None]]()
    for one in nested(60, "cuda"):
        choice = choose(problem_of(one.named, settings()), platform)
        found = chosen(*one.tensors, **one.options)
        counts[choice.kernel or "unknown", found] += 1
        assert choice.kernel in ("", found)
        for verdict in choice.verdicts:
            if verdict.state == "refused":
                assert refusal(verdict.kernel, *one.tensors, **one.options) is not None
    print(dict(counts))

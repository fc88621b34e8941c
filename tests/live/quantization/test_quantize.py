"""`lab.quantize` on a small model: what it says of each scheme is what ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch._dynamo.utils import counters
from torch._inductor import config as inductor_config

import dynamo_lab as lab
from dynamo_lab.capture.core.private import installed
from dynamo_lab.errors import OptionError
from dynamo_lab.view import build
from dynamo_lab.view.quantization.products import products

if TYPE_CHECKING:
    from dynamo_lab.api.quantization.quantize import Quantized

pytestmark = pytest.mark.live

pytest.importorskip("torchao", reason="an extra: pip install dynamo-lab[quantization]")

X = torch.randn(16, 64, generator=torch.Generator().manual_seed(0))


def model() -> torch.nn.Module:
    torch.manual_seed(0)
    layers = [torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64)]
    return torch.nn.Sequential(*layers, torch.nn.LayerNorm(64)).eval()


@pytest.fixture(scope="module")
def found() -> Quantized:
    if installed() < (2, 13):  # tried: with torch 2.11, torchao 0.18 chooses no operator for int8
        pytest.skip("torchao 0.18's X86 quantizer chooses nothing with this PyTorch")
    counters.clear()
    made = lab.quantize(model(), X, rounds=2, seconds=0.01)
    # each once: what is compiled again when it is timed is not what was recorded
    assert counters["stats"]["unique_graphs"] == 1 + len(made.facts.schemes)
    return made


def test_every_scheme_is_timed_as_it_was_compiled(found: Quantized) -> None:
    rounds = {len(one.seconds) for one in found.facts.schemes}
    assert rounds == {len(found.facts.float_seconds)}
    assert rounds != {0}


def test_every_scheme_is_had_and_close(found: Quantized) -> None:
    assert {one.scheme: one.problem for one in found.facts.schemes} == dict.fromkeys(
        ["int8", "int8-dynamic", "int8-weights", "int4-weights"], ""
    )
    errors = {one.scheme: one.error or 1 for one in found.facts.schemes}
    assert max(errors.values()) < 0.15
    # also where int8 products are added in 16 bits, which overflow unless ranges are reduced
    assert errors["int8"] < 0.05
    sizes = [one.bytes for one in found.facts.schemes]
    assert max(sizes) < found.facts.float_bytes / 2
    assert sizes[-1] < min(sizes[:-1])


def test_the_flow_of_pt2e_is_shown_down_to_packed_kernels(
    found: Quantized,
) -> None:
    trial = found.facts.schemes[0]
    assert [(part.kind, part.scheme) for part in trial.parts] == [
        ("linear", "int8"),
        ("relu", "int8, in the kernel of the one before"),
        ("linear", "int8"),
        ("layer_norm", "float"),
    ]
    assert "no rule" in trial.parts[-1].why
    names = [stage.name.partition(",")[0] for stage in trial.stages]
    assert names == [
        "float graph",
        "with observers",
        "quantized graph",
        "after Inductor's passes",
    ]
    assert sum(one.startswith("observer of") for one in trial.stages[1].operators) == 4
    # the weights are packed when it is compiled, and relu is within the product's kernel
    assert "relu" not in trial.stages[-1].operators
    assert any("qlinear" in name for name in trial.kernels)
    assert found.recordings["int8"].kernels


def test_weights_alone_leave_what_is_not_linear(
    found: Quantized,
) -> None:
    for trial in found.facts.schemes[1:]:
        kinds = {part.kind: part for part in trial.parts}
        assert not kinds["Linear"].is_float
        assert kinds["LayerNorm"].why == "This scheme quantizes the weights of linear layers alone."
    assert any("int4" in name for name in found.facts.schemes[-1].kernels)
    assert "int4, weights alone" in str(found)
    assert "<table" in found._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize(
    ("scheme", "kernel", "given", "weight", "pattern"),
    [
        ("int8", "qlinear_pointwise", "u8", "i8", "qlinear"),
        ("int8-dynamic", "_int_mm", "i8", "i8", ""),
        ("int8-weights", "", "f32", "i8", ""),
        ("int4-weights", "int4mm", "f32", "u8", ""),
    ],
)
def test_a_recording_tells_the_kernel_of_each_product(
    found: Quantized, scheme: str, kernel: str, given: str, weight: str, pattern: str
) -> None:
    recording = found.recordings[scheme]
    made = list(products(recording))
    assert len(made) == 2
    assert {(one.given, one.weight, one.pattern) for one in made} == {(given, weight, pattern)}
    assert all(kernel in one.kernel and bool(one.kernel) == bool(kernel) for one in made)
    rows = [row for row in build(recording).choices if row.kind == "quantization"]
    assert sum(row.count for row in rows) == 2


def test_the_model_and_what_is_compiled_of_it_stay_as_they_are() -> None:
    mine = model()
    with torch.no_grad():
        before = mine(X)
        lab.quantize(mine, X, rounds=0, schemes=["int8"])
        mine[0].weight.mul_(2)  # pyright: ignore[reportIndexIssue, reportUnknownMemberType]
        assert torch.allclose(torch.compile(mine)(X), mine(X), atol=1e-4)
        assert not torch.allclose(mine(X), before)


def test_the_settings_of_the_process_stay_as_they_are(found: Quantized) -> None:
    """Importing torchao's quantizer has Inductor run a pass of its own from then on."""
    assert found.facts.schemes[0].problem == ""
    assert inductor_config.pre_grad_custom_pass is None


def test_what_cannot_be_quantized_is_refused() -> None:
    with pytest.raises(OptionError, match=r"call model.eval\(\) first"):
        lab.quantize(model().train(), X)
    with pytest.raises(OptionError, match="There is no scheme 'int3'"):
        lab.quantize(model(), X, schemes=["int3"])

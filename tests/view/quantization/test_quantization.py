"""A quantized model in words: what is not known or failed is said, never shown as a number."""

from __future__ import annotations

from dynamo_lab.model.quantization.trial import Part, Quantization, SchemeTrial
from dynamo_lab.render.fallback.quantization.quantization import quantization_html
from dynamo_lab.render.terminal.quantization.quantization import quantization_text
from dynamo_lab.view.quantization.quantization import build

PARTS = (
    Part(name="0", kind="Linear", scheme="Int8Tensor", error=0.01),
    Part(name="1", kind="</script>", scheme="float", why="no rule"),
)
FACTS = Quantization(
    title="Sequential",
    torchao="0.18.0",
    machine="a CPU",
    float_bytes=4000,
    float_seconds=(2e-3,) * 15,
    schemes=(
        SchemeTrial(scheme="int8", problem="it raised RuntimeError: no kernel."),
        SchemeTrial(
            scheme="int8-weights", parts=PARTS, kernels=("mm", "mm"), seconds=(1e-3,) * 15,
            bytes=1000, error=0.0,
        ),
    ),
)  # fmt: skip


def test_the_rows() -> None:
    base, failed, made = build(FACTS).schemes
    assert (base.title, base.told) == ("float", "")
    assert (failed.time, failed.problem) == ("", "it raised RuntimeError: no kernel.")
    assert made.told.startswith("2")
    assert (made.error, made.share, made.kernels) == ("none", "1 of 2", "2 x mm")
    assert [part.error for part in made.parts] == ["0.01", "not known"]


def test_hostile_names_are_text() -> None:
    view = build(FACTS)
    assert "</script>" not in quantization_html(view)
    assert "</script>" in quantization_text(view)
    assert "no kernel" in quantization_text(view)

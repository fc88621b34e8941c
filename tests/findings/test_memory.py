"""Why does it take more memory? The first finding names cause and line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.view import build
from tests.findings.faults import (
    assert_found_first,
    assert_told_whole,
    findings_of,
    program,
    recorded,
)
from tests.findings.memory_faults import CLEAN, FAULTS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live


@pytest.mark.parametrize("name", FAULTS)
def test_the_first_finding_names_cause_and_line(name: str, tmp_path: Path) -> None:
    assert_told_whole(assert_found_first(FAULTS[name], tmp_path, name), "memory")


@pytest.mark.parametrize("name", CLEAN)
def test_a_program_without_the_fault_has_no_problem(name: str, tmp_path: Path) -> None:
    found = findings_of(recorded(CLEAN[name], tmp_path, name))
    assert [one.sentence for one in found if one.level == "problem"] == []


ATTENTION = """
import torch

def attention(q, k, v):
    scores = q @ k.transpose(-1, -2)SCALED
    return scores.softmax(-1) @ v

def record(lab):
    return lab.lower(attention, *(torch.randn(SHAPE) for _ in range(3)))
"""


@pytest.mark.parametrize(
    ("shape", "scaled"),
    [
        ("2, 3, 256, 16", ""),  # Inductor itself replaces the one that divides by a number
        ("2, 3, 256, 16", " / 4 * 3"),
        ("4, 256, 16", " / 5"),
        ("4, 256, 16", " * 0.25"),
        ("256, 16", ""),
        ("2, 2, 2, 128, 8", " / 4 * 3"),
    ],
)
def test_the_attention_that_is_advised_computes_the_same(
    scaled: str, shape: str, tmp_path: Path
) -> None:
    source = ATTENTION.replace("SCALED", scaled).replace("SHAPE", shape)
    made = program(source, tmp_path, "attention")
    found = [one for one in findings_of(made.record(lab)) if one.rule == "attention-matrix"]
    assert len(found) == 1
    q, k, v = torch.randn(3, *map(int, shape.split(", ")))
    names: dict[str, Any] = {"torch": torch, "q": q, "k": k, "v": v}
    exec(found[0].code, names)
    torch.testing.assert_close(names["out"], made.attention(q, k, v))


def advised(scaled: str, folder: Path) -> Any:
    source = ATTENTION.replace("SCALED", scaled).replace("SHAPE", "2, 3, 256, 16")
    found = findings_of(recorded(source, folder, "sharp"))
    [one] = [one for one in found if one.rule == "attention-matrix"]
    return one


def test_what_a_mask_can_say_is_left_to_the_mask(tmp_path: Path) -> None:
    found = advised(" * 0.25 + torch.rand(256, 256)", tmp_path)
    assert "what is added to them or masked is `attn_mask`" in found.remedy
    assert "scale=0.25, attn_mask=mask)" in found.code


def test_what_no_mask_can_say_is_a_formula_of_flex_attention(tmp_path: Path) -> None:
    """Each element by another factor is no scale, no mask and none of q."""
    found = advised(" * torch.rand(3, 1, 1)", tmp_path)
    assert "`mul` as well, which `scaled_dot_product_attention` does not do" in found.remedy
    assert "return ..." in found.code


def test_a_mask_that_fills_is_turned_round(tmp_path: Path) -> None:
    source = """
    import torch

    def attention(q, k, v, mask):
        scores = (q @ k.transpose(-1, -2)).masked_fill(mask, float("-inf"))
        return torch.nn.functional.dropout(scores.softmax(-1), 0.25, False) @ v

    def record(lab):
        mask = torch.ones(256, 256, dtype=torch.bool).triu(1)
        return lab.lower(attention, *(torch.randn(2, 3, 256, 16) for _ in range(3)), mask)
    """
    made = program(source, tmp_path, "filled")
    [found] = [one for one in findings_of(made.record(lab)) if one.rule == "attention-matrix"]
    assert "`masked_fill` fills where it is True" in found.remedy
    q, k, v = torch.randn(3, 2, 3, 256, 16)
    mask = torch.ones(256, 256, dtype=torch.bool).triu(1)
    names: dict[str, Any] = {"torch": torch, "q": q, "k": k, "v": v, "mask": mask}
    exec(found.code, names)
    torch.testing.assert_close(names["out"], made.attention(q, k, v, mask))


def test_dropout_goes_on(tmp_path: Path) -> None:
    source = ATTENTION.replace("SCALED", "").replace("SHAPE", "2, 3, 256, 16")
    source = source.replace("scores.softmax(-1)", "torch.dropout(scores.softmax(-1), 0.25, True)")
    [found] = [
        one
        for one in findings_of(recorded(source, tmp_path, "dropping"))
        if one.rule == "attention-matrix"
    ]
    assert found.code.endswith("(q, k, v, scale=1.0, dropout_p=0.25)")
    assert "Dropout draws other random numbers" in found.remedy


def test_capped_scores_stay_capped(tmp_path: Path) -> None:
    scaled = "\n    scores = torch.tanh(scores / 4 / 20) * 20"
    source = ATTENTION.replace("SCALED", scaled).replace("SHAPE", "2, 3, 256, 16")
    made = program(source, tmp_path, "capped")
    found = [one for one in findings_of(made.record(lab)) if one.rule == "attention-matrix"]
    q, k, v = torch.randn(3, 2, 3, 256, 16)
    names: dict[str, Any] = {"torch": torch, "q": q, "k": k, "v": v}
    exec(found[0].code, names)
    torch.testing.assert_close(names["out"], made.attention(q, k, v))


CAPPED = "\n    scores = torch.tanh(scores / 4 / 20) * 20"


@pytest.mark.parametrize("is_trained", [False, True])
def test_what_has_no_gradient_on_a_cpu_is_not_advised_where_one_is_taken(
    is_trained: bool, tmp_path: Path
) -> None:
    """Of the call that is advised without, PyTorch says so itself."""
    source = ATTENTION.replace("SCALED", CAPPED).replace("SHAPE", "2, 3, 256, 16")
    if is_trained:
        source = source.replace("16) for", "16, requires_grad=True) for")
    made = program(source, tmp_path, "trained")
    [found] = [one for one in findings_of(made.record(lab)) if one.rule == "attention-matrix"]
    assert bool(found.code) == bool(found.gain) == (not is_trained)
    assert ("computes no gradients on a CPU" in found.remedy) == is_trained
    if not is_trained:
        q, k, v = torch.randn(3, 2, 3, 256, 16, requires_grad=True)
        names: dict[str, Any] = {"torch": torch, "q": q, "k": k, "v": v}
        with pytest.raises(NotImplementedError, match="backward on CPU"):
            exec(found.code, names)


def test_the_call_that_is_advised_for_capped_scores_has_no_matrix_in_memory(tmp_path: Path) -> None:
    source = ATTENTION.replace("SCALED", CAPPED).replace("SHAPE", "2, 3, 256, 16")
    made = program(source, tmp_path, "capped_plan")
    before = made.record(lab)
    [found] = [one for one in findings_of(before) if one.rule == "attention-matrix"]
    lines = found.code.split("\n")
    body = ["import torch", lines[0], "def attention(q, k, v):", *lines[1:], "return out"]
    text = "\n".join([*body[:3], *(f"    {line}" for line in body[3:])])
    mended = program(text, tmp_path, "flexed")
    q, k, v = torch.randn(3, 2, 3, 256, 16)
    after = lab.lower(mended.attention, q, k, v, grad=False)
    matrix = 2 * 3 * 256 * 256 * 4
    assert peak(before) >= matrix
    assert peak(after) < matrix
    compiled = torch.compile(mended.attention)
    torch.testing.assert_close(compiled(q, k, v), made.attention(q, k, v))


SAVED = """
import torch
from torch.nn.functional import scaled_dot_product_attention as attention
weight = torch.randn(64, 192, requires_grad=True)

def block(x):
    q, k, v = (x @ weight).view(256, 4, 3, 4, 16).permute(2, 0, 3, 1, 4)
    scores = attention(q, k, v)
    wide = scores.repeat(1, 1, 1, 4)
    return wide.sin().sum()

def record(lab):
    return lab.lower(block, torch.randn(256, 4, 64), grad=True)
"""


def test_views_of_one_tensor_hold_it_once(tmp_path: Path) -> None:
    """Query, key and value are parts of a tensor of 0.8 MB; a later line saves one of 1 MB."""
    made = program(SAVED, tmp_path, "saved")
    recording = made.record(lab)
    [found] = [one for one in findings_of(recording) if one.rule == "saved-activations"]
    largest = build(recording).partitions[0].lines[0]
    assert largest.where in found.sentence, (found.sentence, largest)


def peak(recording: Any) -> int:
    """The most bytes that a plan of a recording has at once."""
    plans = [one for schedule in build(recording).fusions.schedules for one in schedule.memory]
    return max(plan.peak_bytes for plan in plans)

"""The compiler that lessons 14 to 17 build: right on programs that the lessons do not have."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dynamo_lab import course
from dynamo_lab.compiler.build import NoCCompiler
from dynamo_lab.course.exercises import NotYet
from dynamo_lab.course.inductor import asking, beside, carried, continue_after, made_by, workshop
from dynamo_lab.errors import CourseError

NAN = torch.tensor([[1.0, math.nan, 2.0], [-1.0, -2.0, -3.0]])
SQUARE = torch.linspace(-2, 2, 36).sin().reshape(6, 6)
BOX = torch.linspace(-3, 3, 120).cos().reshape(4, 5, 6)

POINTWISE: dict[str, tuple[Any, ...]] = {
    "transposed": (lambda x: x.t() * 2 + x, SQUARE),
    "a slice with an offset": (lambda x: x[2:, 1::2] + 1, SQUARE),
    "expanded": (lambda x: x[:1].expand(6, 6) * x, SQUARE),
    "no dimensions": (lambda x: x.exp() - 1, torch.tensor(0.5)),
    "no elements": (lambda x: x * 2, torch.ones(0, 3)),
    "a mask that is stored": (lambda x: (x > 0, torch.where(x > 0, x, -x)), SQUARE),
    "integers, which are ATen's": (lambda x: x * 2 + x.float().exp(), torch.arange(6)),
    "doubles, which are ATen's": (lambda x: x.exp() * 2, SQUARE.double()),
    "infinity": (lambda x: torch.where(x > 0, x, -math.inf), SQUARE),
    "numbers with an exponent": (lambda x: x * 1e-30 + 3e20, SQUARE),
    "a power": (lambda x: x**3 + x**2, SQUARE),
    "a scaled addend, which is ATen's": (lambda x: torch.add(x, x, alpha=3) + 1, SQUARE),
}
REDUCED: dict[str, tuple[Any, ...]] = {
    "softmax of columns": (lambda x: torch.softmax(x, 0), SQUARE),
    "softmax in the middle": (lambda x: torch.softmax(x, 1), BOX),
    "of two dimensions": (lambda x: x - x.sum((0, 2), keepdim=True), BOX),
    "of all": (lambda x: x.sum() + x, BOX),
    "without keepdim, of a square": (lambda x: x - x.sum(1), SQUARE),
    "columns without keepdim": (lambda x: x - x.sum(0), SQUARE),
    "NaN": (lambda x: (x.amax(1), x.amax(0, keepdim=True)), NAN),
    "of one element": (lambda x: x[:, :1].sum(1, keepdim=True) * 2 + x[:, :1], SQUARE),
    "a product between": (lambda x: torch.softmax(x, -1) @ x + torch.softmax(x, -1), SQUARE),
    "two that must not be one": (lambda x: (x - x.sum(0)).exp().sum(1), SQUARE),
    "layer norm": (lambda x: F.layer_norm(x, (5, 6)) + x, BOX),
    "the sum of a mask, which is ATen's": (lambda x: (x > 0).sum(-1), SQUARE),
    "what it needs comes later in the graph": (
        lambda x: (torch.tanh(x), torch.tanh(x) + (x @ x).t()),
        SQUARE,
    ),
    "a view between": (lambda x: (x.exp().view(4, 30) * 2).sum(-1), BOX),
}


@pytest.fixture(scope="module")
def compilers() -> dict[int, Any]:
    return {lesson: carried.after(lesson)["mine"] for lesson in (14, 15, 16, 17)}


def is_right(backend: Any, fn: Any, *args: Any) -> workshop.Made:
    compiled = made_by(backend, fn, *args)
    torch.testing.assert_close(compiled.out, fn(*args), equal_nan=True)
    return compiled


@pytest.mark.live
@pytest.mark.parametrize("name", POINTWISE)
def test_pointwise_programs(name: str, compilers: dict[int, Any]) -> None:
    for lesson in (14, 17):
        is_right(compilers[lesson], *POINTWISE[name])


@pytest.mark.live
@pytest.mark.parametrize("name", REDUCED)
def test_programs_with_reductions(name: str, compilers: dict[int, Any]) -> None:
    before = is_right(compilers[15], *REDUCED[name])
    after = is_right(compilers[16], *REDUCED[name])
    assert len(after.kernels) <= len(before.kernels)


@pytest.mark.live
def test_sizes_that_change_are_left_to_aten(compilers: dict[int, Any]) -> None:
    torch.compiler.reset()
    compiled = torch.compile(lambda x: torch.softmax(x, -1) * 2, backend=compilers[16])
    for size in (4, 7, 9):
        x = torch.randn(3, size)
        torch.testing.assert_close(compiled(x), torch.softmax(x, -1) * 2)


@pytest.mark.live
def test_a_training_step_is_fused_and_right(compilers: dict[int, Any]) -> None:
    torch.manual_seed(0)
    layer, x = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.LayerNorm(8)), torch.randn(5, 6)

    def step(x: Any) -> Any:
        return torch.softmax(F.gelu(layer(x), approximate="tanh"), -1)

    compiled = made_by(compilers[17], step, x, train=True)
    got = [p.grad for p in layer.parameters()]
    layer.zero_grad()
    step(x).square().mean().backward()
    torch.testing.assert_close(got, [p.grad for p in layer.parameters()])
    assert len(compiled.graphs) == 2
    assert {name.split(".")[0] for name in compiled.aten} <= {"addmm", "mm", "scalar_tensor"}


def test_what_is_defined_anew_is_used_by_what_was_there() -> None:
    namespace: dict[str, Any] = {"__name__": "a notebook"}
    continue_after(14, namespace)
    exec("def fit(index, shape):\n    raise KeyError('mine')", namespace)
    recipe = namespace["apply"]("exp", namespace["number"](1))
    with pytest.raises(KeyError, match="mine"):
        recipe.at(namespace["CText"](), ())
    assert "fit" in carried.after(14)  # and another namespace has its own
    with pytest.raises(CourseError, match="Lesson 13 builds nothing"):
        continue_after(13, {"__name__": "another"})


@pytest.mark.live
def test_without_a_c_compiler_there_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, compilers: dict[int, Any]
) -> None:
    def none() -> None:
        raise NoCCompiler

    monkeypatch.setattr(workshop, "compiler", none)
    with pytest.raises(NotYet, match="No C compiler was found: install gcc or clang"):
        asking.made(compilers[14], torch.exp, SQUARE)


@pytest.mark.live
@pytest.mark.parametrize("number", ["14.2", "14.3", "15.2", "15.3", "16.2", "17.3"])
def test_a_backend_that_builds_nothing_is_refused(number: str) -> None:
    verdict = course.check(number, lambda gm, inputs: gm.forward)
    assert not verdict
    assert "It put no kernels into a graph" in verdict.message


@pytest.mark.live
def test_a_prediction_does_not_change_the_readers_compiler() -> None:
    """15.1 compiles with a compiler of its own, in which `max` keeps NaN already."""
    namespace: dict[str, Any] = {"__name__": "a notebook"}
    continue_after(14, namespace)
    spellings = dict(namespace["C"])
    assert not course.check("15.1", 1)
    assert namespace["C"] == spellings


def test_texts_beside_each_other_stay_text() -> None:
    shown = beside(yours="a < b", the_large_one="<script>")
    assert repr(shown) == "--- yours\na < b\n\n--- the large one\n<script>"
    assert "<script" not in shown._repr_html_()
    assert "a &lt; b" in shown._repr_html_()

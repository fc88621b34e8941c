"""Compiled code that makes an optimizer or hands on a generator: what is said, and what helps."""

from collections.abc import Iterator
from typing import Any

import torch

import dynamo_lab as lab
from dynamo_lab.view import build
from tests.live.lines import line_of

model = torch.nn.Linear(4, 4)
x, y = torch.randn(8, 4), torch.randn(8, 4)


def train(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = x.new_zeros(())
    for _ in range(2):
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return loss


def test_an_optimizer_made_in_compiled_code_is_named() -> None:
    recording = lab.explore(train, x, y, backend="eager")
    view = build(recording)
    assert view.breaks[0].title == "optimizer made in compiled code"
    assert "earlier cell" in view.breaks[0].advice[0]
    assert view.breaks[0].advice[1].startswith("If a loop runs the steps")
    assert not any("yield" in advice for advice in view.breaks[0].advice)
    assert "None of your 7 lines in these frames is compiled" in view.summary.sentence


def test_with_the_optimizer_made_before_the_step_compiles() -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    with lab.record() as recorder:
        compiled: Any = torch.compile(step, backend="eager")
        for _ in range(2):
            compiled(x, y)
    view = build(recorder.recording)
    states = {line.number: line.state for source in view.sources for line in source.lines}
    assert states[line_of(step, "model(x)")] == "compiled"
    assert any(f.name == "step" and f.outcome == "compiled" for f in view.frames)
    assert "Of your 4 lines in these frames, 1 is compiled." in view.summary.sentence
    backward = next(item for item in view.breaks if item.title == "backward() call")
    assert not any("trace_autograd_ops" in advice for advice in backward.advice)
    assert [fix.name for fix in backward.fixes] == ["trace_autograd_ops"]
    followed = [story for story in view.stories if story.cause is not None]
    assert followed
    assert not any(story.is_cause_yours for story in followed)
    assert all(item.title != "optimizer made in compiled code" for item in view.breaks)


def test_an_optimizer_of_a_list_of_parameters_is_named_too() -> None:
    def make(x: torch.Tensor) -> torch.Tensor:
        torch.optim.Adam([model.weight])
        return model(x).sum()

    view = build(lab.explore(make, x, backend="eager"))
    assert [item.title for item in view.breaks][:1] == ["optimizer made in compiled code"]


def test_a_generator_of_a_module_becomes_a_list() -> None:
    def handed_on(x: torch.Tensor) -> torch.Tensor:
        parameters: Iterator[torch.Tensor] = model.parameters()
        print("breaks")
        return x + sum(p.sum() for p in parameters)

    def listed(x: torch.Tensor) -> torch.Tensor:
        parameters = list(model.parameters())
        print("breaks")
        return x + sum(p.sum() for p in parameters)

    view = build(lab.explore(handed_on, x, backend="eager"))
    assert [item.title for item in view.breaks][:1] == ["generator of a module"]
    view = build(lab.explore(listed, x, backend="eager"))
    assert {item.title for item in view.breaks} == {"print call"}
    assert view.breaks[0].effect == "resumed"


def test_a_generator_of_the_reader_keeps_its_advice() -> None:
    def numbers() -> Iterator[int]:
        seen: set[int] = set()
        for number in range(3):
            seen.add(number)
            yield number

    def handed_on(x: torch.Tensor) -> torch.Tensor:
        numbered = numbers()
        print("breaks")
        return x + sum(numbered)

    for item in build(lab.explore(handed_on, x, backend="eager")).breaks:
        assert item.title != "generator of a module"


class Scale(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight


def test_a_module_made_in_compiled_code_is_not_said_to_lack_what_it_calls() -> None:
    view = build(lab.explore(lambda x: Scale()(x), torch.ones(4), backend="eager"))
    made = next(item for item in view.breaks if "ninitialized" in item.explanation)
    assert made.title == "nn.Module made in compiled code"
    assert made.advice[0].startswith("Make the module once, before the compiled code")
    assert not any("Ensure your" in advice or "call `super" in advice for advice in made.advice)
    assert "captured 1 graph from 1 of 3 frames" in view.summary.sentence


def test_a_break_after_which_nothing_is_left_is_said_and_not_what_it_led_to() -> None:
    def broken(x: torch.Tensor) -> int:
        torch._dynamo.graph_break()
        return 3

    sentence = build(lab.explore(broken, torch.ones(4), backend="eager")).summary.sentence
    assert sentence.startswith("Dynamo captured no graph; it broke once, at line ")
    assert "(explicit graph_break())" in sentence


def test_with_the_module_made_before_nothing_breaks() -> None:
    scale = Scale()
    assert not lab.explore(lambda x: scale(x), torch.ones(4), backend="eager").breaks

"""Every variant of a benchmark starts from the values that the program had."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import dynamo_lab as lab
from dynamo_lab.measure.devices import Cpu
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.record.replay import without_trace

Fn = Callable[[Any], Any]
Ways = dict[str, Fn]

KEPT = torch.tensor([-1.0, 2.0])


class Kept:
    total = torch.zeros(2)
    calls = 0


calls_so_far = 0


@dataclass
class Box:
    value: Tensor
    seen: list[int]


class Slotted:
    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = torch.tensor([-1.0, 2.0])


class Holder:
    def __init__(self) -> None:
        self.value = torch.tensor([-1.0, 2.0])
        self.calls = 0

    def relu(self, x: Tensor) -> Tensor:
        self.calls += 1
        return self.value.relu_() + x


def counted(x: Tensor) -> Tensor:
    global calls_so_far
    calls_so_far += 1
    return x + calls_so_far


def in_a_class(x: Tensor) -> Tensor:
    Kept.total += x
    Kept.calls += 1
    return Kept.total + Kept.calls


def in_global(x: Tensor) -> Tensor:
    return KEPT.relu_() + x


def short(fn: Fn, *args: Any, ways: Ways, **options: Any) -> Any:
    options = {"cold": False, "kernels": False, "rounds": 3, "seconds": 0.1, **options}
    return lab.bench(fn, *args, ways=ways, **options)


def verdicts(found: Any, way: int = 1) -> set[str]:
    return {one.verdict for one in found.facts.comparisons if one.way == way}


def written() -> Tensor:
    return torch.tensor([-1.0, 2.0])


def test_a_wrong_program_in_place_is_wrong() -> None:
    found = short(lambda x: x.relu_(), written(), ways={"wrong": lambda x: x.abs_()})
    assert "wrong" in verdicts(found)
    assert not [one for one in found.facts.series if one.way == 1]


def test_the_same_program_in_place_is_equal() -> None:
    x = written()
    found = short(lambda x: x.sub_(1), x, ways={"same": lambda x: x.sub_(1)})
    assert verdicts(found) == {"equal"}
    assert torch.equal(x, written())


def test_a_variant_that_alone_writes_to_an_argument_is_wrong() -> None:
    found = short(lambda x: x.abs(), written(), ways={"writes": lambda x: x.abs_()})
    assert "wrong" in verdicts(found)


@pytest.mark.parametrize("wrong", [False, True])
def test_what_lies_in_a_structure_is_restored(wrong: bool) -> None:
    box = Box(written(), [])
    other = torch.abs_ if wrong else torch.relu_
    found = short(lambda b: torch.relu_(b.value), box, ways={"other": lambda b: other(b.value)})
    assert verdicts(found) == ({"wrong"} if wrong else {"equal"})


@pytest.mark.parametrize("wrong", [False, True])
def test_what_a_closure_and_a_global_hold_is_restored(wrong: bool) -> None:
    held = written()
    other = torch.abs_ if wrong else torch.relu_
    ways: Ways = {"other": lambda x: other(held) + x}
    expected = {"wrong"} if wrong else {"equal"}
    assert verdicts(short(lambda x: held.relu_() + x, torch.ones(2), ways=ways)) == expected
    ways = {"other": lambda x: other(KEPT) + x}
    assert verdicts(short(in_global, torch.ones(2), ways=ways)) == expected


def test_attributes_of_self_are_restored() -> None:
    holder = Holder()
    ways: Ways = {"wrong": lambda x: holder.value.abs_() + x}
    assert "wrong" in verdicts(short(holder.relu, torch.ones(2), ways=ways))
    assert holder.calls == 0
    assert torch.equal(holder.value, written())


def test_a_global_that_the_program_writes_is_restored() -> None:
    found = short(counted, torch.ones(2), ways={"one": lambda x: x + 1, "two": lambda x: x + 2})
    assert verdicts(found, 1) == {"equal"}
    assert verdicts(found, 2) == {"wrong"}
    assert calls_so_far == 0


def test_what_a_class_keeps_is_restored() -> None:
    add = Kept.total.add_
    ways: Ways = {"one": lambda x: add(x) + 1, "two": lambda x: add(x) + 2}
    found = short(in_a_class, torch.ones(2), ways=ways)
    assert verdicts(found, 1) == {"equal"}
    assert "wrong" in verdicts(found, 2)
    assert "attributes, containers or variables" in found.facts.changes
    assert (Kept.total.sum(), Kept.calls) == (0, 0)


def test_the_state_of_an_optimizer_is_restored() -> None:
    model = nn.Linear(2, 1)
    before = model.weight.detach().clone()
    adam = torch.optim.Adam(model.parameters(), lr=0.1)
    options: Any = {"training": True, "optimizer": adam}
    found = short(model, torch.ones(1, 2), ways={"same": model.forward}, **options)
    assert verdicts(found) == {"equal"}
    assert not adam.state
    assert model.weight.grad is None
    assert torch.equal(model.weight, before)


def test_what_cannot_be_restored_is_not_called_equal() -> None:
    numbers = iter(range(1_000_000))
    found = short(lambda x: x + next(numbers), torch.ones(2), ways={"one": lambda x: x})
    assert verdicts(found) == {"not compared"}
    assert "cannot be restored" in found.facts.comparisons[0].reason
    assert "was not checked" in str(found)
    assert found.facts.changes is None
    assert "starts from the program's own values" not in str(found)


def test_aliases_stay_aliased() -> None:
    x = torch.arange(4.0)
    part = x[:2]
    with without_trace([x, part]) as state:
        x.add_(1)
        part.data = torch.zeros(2)
        assert not state.put_back()
        x.add_(1)
        assert torch.equal(part, torch.tensor([1.0, 2.0]))
    assert torch.equal(x, torch.arange(4.0))


def test_containers_variables_and_generators_are_restored() -> None:
    queue, seen, names = deque([1]), {1}, {"a": [1]}
    slotted, draws, torch_draws = Slotted(), random.Random(0), torch.Generator().manual_seed(3)
    count = 0
    first = random.Random(0).random()

    def change() -> None:
        nonlocal count
        count += 1
        queue.append(2)
        seen.add(2)
        names["a"].append(2)
        names["b"] = []
        slotted.value = torch.zeros(1)
        draws.random()
        torch.rand(1, generator=torch_draws)

    with without_trace([partial(change)]) as state:
        change()
        assert not state.put_back()
        assert state.is_written
        change()
        assert not state.rewind()
    assert (list(queue), seen, names, count) == ([1], {1}, {"a": [1]}, 0)
    assert torch.equal(slotted.value, written())
    assert draws.random() == first
    assert torch_draws.initial_seed() == 3


def test_a_tensor_that_got_a_history_is_a_leaf_again() -> None:
    x, weight = torch.ones(2), torch.ones(2, requires_grad=True)
    with without_trace([x]):
        x.add_(weight)
    assert x.is_leaf
    assert not x.requires_grad


def test_restoring_comes_before_each_round_and_is_not_timed() -> None:
    now, log = [0.0], list[str]()

    def work(name: str) -> None:
        now[0] += 1.0
        log.append(name)

    def before(name: str) -> None:
        now[0] += 100.0
        log.append(f"before {name}")

    plan = Plan(rounds=2, warmup=0, round_seconds=0.1, seconds=1e9)
    ways = {name: partial(work, name) for name in ("a", "b")}
    times = take_turns(ways, Cpu(lambda: now[0]), plan, before=before)
    assert all(found.seconds == (1.0, 1.0) for found in times.values())
    rounds = log[-8:]
    assert rounds == ["before a", "a", "before b", "b", "before b", "b", "before a", "a"]


def test_it_says_what_changes_between_the_calls() -> None:
    found = short(lambda x: x.sub_(torch.rand(2)), written(), ways={})
    assert found.facts.changes == ("argument 0", "random numbers")
    assert "a call sees what those before it changed: argument 0 and random numbers" in str(found)
    assert short(lambda x: x + 1, written(), ways={}).facts.changes == ()

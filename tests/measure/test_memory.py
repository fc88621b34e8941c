"""Peak memory, where it is known to the byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor

from dynamo_lab.measure.memory import peak_of

if TYPE_CHECKING:
    from typing import NoReturn

SIDE = 64
MATRIX = 4 * SIDE * SIDE


def matrices(count: int) -> list[Tensor]:
    return [torch.randn(SIDE, SIDE) for _ in range(count)]


def chain(x: Tensor, *weights: Tensor) -> Tensor:
    """Each product is let go once the next is made: two are held at a time."""
    for weight in weights:
        x = x @ weight
    return x


def test_a_chain_of_products_holds_two_of_them() -> None:
    args = matrices(6)
    assert peak_of(lambda: chain(*args), "cpu") == 2 * MATRIX
    assert peak_of(lambda: chain(*args[:2]), "cpu") == MATRIX


def test_with_gradients_all_but_the_last_are_kept_for_the_backward() -> None:
    x, *weights = matrices(4)
    for weight in weights:
        weight.requires_grad_()
    with torch.enable_grad():
        assert peak_of(lambda: chain(x, *weights), "cpu") == 3 * MATRIX


def test_what_was_there_before_does_not_count() -> None:
    held = matrices(3)
    assert peak_of(lambda: held[0].zero_(), "cpu") == 0


def test_a_profiler_of_the_users_is_left_alone() -> None:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as own:
        assert peak_of(lambda: torch.ones(3), "cpu") is None
        torch.ones(3).cumsum(0)
    assert "aten::cumsum" in str(own.key_averages())


def test_an_interrupt_stops_the_profiler() -> None:
    def work() -> NoReturn:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        peak_of(work, "cpu")
    assert peak_of(lambda: torch.ones(4), "cpu") == 16


def answer(monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    """Make it PyTorch's module of every device."""

    def named(_: str) -> object:
        return module

    monkeypatch.setattr(torch, "get_device_module", named)


class FakeModule:
    """A device module whose work allocates what it is told, and frees some of it again."""

    def __init__(self) -> None:
        self.now = self.peak = 1000
        self.waited = 0

    def synchronize(self) -> None:
        self.waited += 1

    def reset_peak_memory_stats(self) -> None:
        self.peak = self.now

    def memory_allocated(self) -> int:
        return self.now

    def max_memory_allocated(self) -> int:
        return self.peak

    def use(self, size: int) -> None:
        self.now += size
        self.peak = max(self.peak, self.now)


def test_an_accelerator_counts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    module = FakeModule()
    module.use(5000)
    module.use(-5000)
    answer(monkeypatch, module)

    def work() -> None:
        module.use(300)
        module.use(-200)

    assert peak_of(work, "cuda") == 300
    assert module.waited == 2


def test_a_device_that_keeps_no_count_has_no_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, object())
    assert peak_of(lambda: None, "mps") is None


@pytest.mark.parametrize("keeps", [True, False])
def test_the_peak_of_a_step_is_counted_by_hand_and_the_same_each_time(keeps: bool) -> None:
    x, weight = torch.randn(4, SIDE), torch.randn(SIDE, SIDE, requires_grad=True)

    def step() -> None:
        weight.grad = None
        with torch.enable_grad():
            total: Any = (x @ weight).sum()
            total.backward()
        if not keeps:
            weight.grad = None

    step()
    row = 4 * 4 * SIDE
    found = [peak_of(step, "cpu") for _ in range(3)]
    assert len(set(found)) == 1
    assert MATRIX <= (found[0] or 0) <= MATRIX + 2 * row + 64


def test_bench_and_suite_agree_about_the_memory_of_a_step() -> None:
    from dynamo_lab.measure.subject import Subject
    from dynamo_lab.suite import work
    from dynamo_lab.suite.models.model import Program
    from dynamo_lab.suite.results import Case
    from dynamo_lab.suite.subject import Subject as SuiteSubject

    layer = torch.nn.Linear(SIDE, SIDE, bias=False)
    x, target = torch.randn(4, SIDE), torch.rand(4, SIDE)
    program = Program(module=layer, inputs={"input": x}, target="values")
    suite: Any = work
    subject = SuiteSubject(program, Case(model="m", task="training", precision="float32"), "cpu")
    subject.labels = target
    step = subject.call(subject.function)
    step()
    by_suite = [suite._peak(step, subject) for _ in range(3)]

    def loss(out: Tensor) -> Tensor:
        return torch.nn.functional.mse_loss(out, target)

    leaves = dict(layer.named_parameters())
    sgd = torch.optim.SGD(leaves.values())
    ours = Subject(layer, (x,), {}, leaves, loss=loss, optimizer=sgd).call(layer, "step")
    ours()
    by_bench = [peak_of(ours, "cpu") for _ in range(3)]
    assert len({*by_suite, *by_bench}) == 1
    assert (by_bench[0] or 0) >= MATRIX

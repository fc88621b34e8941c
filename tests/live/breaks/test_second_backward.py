"""A second backward through compiled code: which error it is, and that each remedy ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._functorch import config

import dynamo_lab as lab
from tests.live.lines import line_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.view.findings.finding import Finding

pytestmark = pytest.mark.live


def heads(x: torch.Tensor, w: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Two losses that share nothing that is saved."""
    return (x @ w).sin().sum(), (x @ v).cos().sum()


def inputs() -> tuple[torch.Tensor, ...]:
    made = torch.Generator().manual_seed(0)
    x, w, v = (torch.randn(4, 4, generator=made) for _ in range(3))
    return x, w.requires_grad_(), v.requires_grad_()


def each(fn: Any, given: tuple[torch.Tensor, ...]) -> None:
    first, second = fn(*given)
    first.backward()
    second.backward()


def together(fn: Any, given: tuple[torch.Tensor, ...]) -> None:
    first, second = fn(*given)
    (first + second).backward()


def kept(fn: Any, given: tuple[torch.Tensor, ...]) -> None:
    first, second = fn(*given)
    first.backward(retain_graph=True)
    second.backward()


def together_then_kept(fn: Any, given: tuple[torch.Tensor, ...]) -> None:
    together(fn, given)
    kept(fn, given)


def carried(fn: Any, given: tuple[torch.Tensor, ...], *, detach: bool = False) -> None:
    """A hidden state that goes from step to step."""
    state, w, v = given
    for _ in range(2):
        state = fn(state, w, v)[0] + state
        state.sum().backward()
        state = state.detach() if detach else state


def gradients(program: Callable[..., None], fn: Any) -> list[torch.Tensor]:
    given = inputs()
    program(fn, given)
    return [one.grad for one in given if one.grad is not None]


def compiled(backend: str = "aot_eager") -> Any:
    torch.compiler.reset()
    return torch.compile(heads, backend=backend)


def found(program: Callable[..., None], backend: str = "aot_eager") -> Finding:
    with pytest.raises(RuntimeError), lab.record() as recorder:
        program(torch.compile(heads, backend=backend), inputs())
    recording = recorder.recording
    finding = recording.findings[0]
    assert finding.rule == "second-backward"
    told = " ".join(str(recording).split())
    assert finding.sentence[:60] in told
    assert finding.code in told
    return finding


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_two_losses_of_one_graph(backend: str) -> None:
    gradients(each, heads)  # uncompiled it is no error
    finding = found(each, backend)
    assert f"line {line_of(each, 'second.backward')}" in finding.where
    assert "a second time" in finding.sentence
    assert finding.code == "(first + second).backward()"


def test_the_losses_added_give_the_same_gradients() -> None:
    for one, other in zip(gradients(each, heads), gradients(together, compiled()), strict=True):
        torch.testing.assert_close(one, other)


def test_kept_graphs_need_the_setting() -> None:
    """As the remedy says: first without it, once the backward was compiled with donations."""
    finding = found(together_then_kept)
    assert f"line {line_of(kept, 'retain_graph')}" in finding.where
    assert "donated" in finding.sentence
    assert finding.code == "torch._functorch.config.donated_buffer = False"
    expected = gradients(together_then_kept, heads)
    with config.patch(donated_buffer=False):
        for one, other in zip(expected, gradients(together_then_kept, compiled()), strict=True):
            torch.testing.assert_close(one, other)
        for one, other in zip(gradients(each, heads), gradients(kept, compiled()), strict=True):
            torch.testing.assert_close(one, other)


def test_a_state_that_was_kept_is_detached() -> None:
    finding = found(carried)
    assert f"line {line_of(carried, 'backward')}" in finding.where
    assert "`.detach()`" in finding.remedy
    carried(compiled(), inputs(), detach=True)


def test_an_error_of_autograd_itself_is_no_finding() -> None:
    def shared(x: torch.Tensor, w: torch.Tensor, _: torch.Tensor) -> tuple[torch.Tensor, ...]:
        h = (x @ w).sin()
        return h.sum(), h.square().sum()

    with pytest.raises(RuntimeError, match="a second time"):
        each(shared, inputs())
    with pytest.raises(RuntimeError, match="a second time"), lab.record() as recorder:
        each(torch.compile(shared, backend="eager"), inputs())
    assert recorder.recording.failure is not None
    assert [one for one in recorder.recording.findings if one.rule == "second-backward"] == []

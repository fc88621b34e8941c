"""Compilations that failed under `suppress_errors`: what is said of the calls is what ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.api.recording import Recording

pytestmark = pytest.mark.live


def scale(x: torch.Tensor, n: int) -> torch.Tensor:
    return x * n


def inner(x: torch.Tensor) -> torch.Tensor:
    return x.sin()


def outer(x: torch.Tensor) -> torch.Tensor:
    return inner(x) + 1


class Refusing:
    """A backend that refuses some graphs, and counts the calls of those that it takes."""

    def __init__(self, refuses: Callable[[Refusing, torch.fx.GraphModule], bool]) -> None:
        self._refuses = refuses
        self.asked = 0
        self.ran = 0

    def __call__(self, module: torch.fx.GraphModule, _: object) -> Callable[..., Any]:
        self.asked += 1
        if self._refuses(self, module):
            raise ValueError("no such graph")

        def run(*args: Any) -> Any:
            self.ran += 1
            return module.forward(*args)

        return run


def adds(_: Refusing, module: torch.fx.GraphModule) -> bool:
    return any("add" in str(node.target) for node in module.graph.nodes)


def recorded(program: Callable[[], None]) -> Recording:
    with torch._dynamo.config.patch(suppress_errors=True), lab.record() as recorder:
        program()
    return recorder.recording


def test_only_what_it_calls_is_still_compiled() -> None:
    backend = Refusing(adds)
    compiled = torch.compile(outer, backend=backend)

    def program() -> None:
        for _ in range(3):
            assert torch.equal(compiled(torch.zeros(3)), torch.ones(3))

    recording = recorded(program)
    assert (backend.asked, backend.ran) == (2, 3), "the whole is tried once, what it calls runs"
    assert recording.failure is None
    first, second = recording.frames[:2]
    assert [one.suppressed for one in first.attempts] == [True]
    assert [one.suppressed for one in second.attempts] == [False]
    view = build(recording)
    assert "every call runs eagerly from then on" in view.frames[0].explanation
    assert "only what it calls is still compiled" in view.frames[0].explanation
    assert view.frames[1].explanation == "Compiled completely, as one graph."
    assert "`suppress_errors` kept that from ending the program" in view.summary.sentence
    [finding] = [one for one in recording.findings if one.rule == "not-compiled"]
    assert "`suppress_errors`" in finding.sentence
    assert "runs eagerly from then on" in " ".join(str(recording).split())


def test_code_that_was_there_is_not_used_any_more() -> None:
    """Unlike at the limit of recompilations, where it is: the second compilation fails."""
    backend = Refusing(lambda self, _: self.asked == 2)
    compiled = torch.compile(scale, backend=backend, dynamic=False)

    def program() -> None:
        for n in (1, 2, 1, 3):
            compiled(torch.ones(3), n)

    recording = recorded(program)
    assert (backend.asked, backend.ran) == (2, 1)
    view = build(recording)
    assert view.frames[0].outcome == "compiled"
    assert view.frames[0].explanation.startswith("Compiling it again failed")
    assert "not used any more" in view.frames[0].explanation
    assert "again failed: backend='" in view.summary.sentence
    assert "`suppress_errors`" in view.summary.sentence
    assert "not-compiled" in [one.rule for one in recording.findings]


def test_an_error_that_is_raised_is_not_suppressed() -> None:
    """`fullgraph=True` raises whatever is set, and the code that is there stays in use."""
    backend = Refusing(lambda self, _: self.asked == 2)
    compiled = torch.compile(scale, backend=backend, dynamic=False, fullgraph=True)

    def program() -> None:
        compiled(torch.ones(3), 1)
        with pytest.raises(Exception, match="no such graph"):
            compiled(torch.ones(3), 2)
        compiled(torch.ones(3), 1)

    recording = recorded(program)
    assert (backend.asked, backend.ran) == (2, 2)
    assert not any(one.suppressed for one in recording.frames[0].attempts)
    assert "suppress_errors" not in build(recording).summary.sentence

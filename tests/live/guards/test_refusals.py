"""Calls that a stance or a setting refuses: which did, on which line, why, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.view import build
from tests.live.lines import line_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamo_lab.api.recording import Recording
    from dynamo_lab.model.guards.guards import Refusal

pytestmark = pytest.mark.live


@pytest.fixture(autouse=True)
def the_default_stance() -> Iterator[None]:
    yield
    torch.compiler.set_stance("default")


def scale(x: torch.Tensor, n: int = 2) -> torch.Tensor:
    return x * n


class Ran:
    """A backend that counts the calls of what it compiled."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, module: torch.fx.GraphModule, _: object) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            self.calls += 1
            return module.forward(*args)

        return run


def of(program: Callable[[Any], None], *, raises: str = "") -> tuple[Recording, int]:
    """The recording of a program that gets `scale` compiled, and how many calls ran compiled."""
    backend = Ran()
    compiled = torch.compile(scale, backend=backend, dynamic=False)
    with lab.record() as recorder:
        if raises:
            with pytest.raises(RuntimeError, match=raises):
                program(compiled)
        else:
            program(compiled)
    return recorder.recording, backend.calls


def only(recording: Recording) -> Refusal:
    [refusal] = recording.refusals
    assert recording.frames[refusal.frame].name == "scale"
    return refusal


def lines(recording: Recording, refusal: Refusal) -> tuple[int | None, int | None]:
    """The line that set the stance, and that of the first call."""
    spans = recording.spans
    ats = (refusal.set_at, refusal.called_at)
    first, second = (None if at is None else spans[at].line for at in ats)
    return first, second


def told(recording: Recording) -> str:
    """What a reader of the view is told of the only refusal."""
    [refusal] = build(recording).guards.refusals
    remedies = (part for one in refusal.remedies for part in (one.text, one.code))
    return "\n".join((refusal.title, refusal.text, *refusal.reasons, *remedies))


def on_terminal(recording: Recording) -> str:
    return " ".join(str(recording).split())


def fails(compiled: Any) -> None:
    compiled(torch.ones(4))
    torch.compiler.set_stance("fail_on_recompile")
    compiled(torch.ones(4))
    compiled(torch.ones(5))


def test_fail_on_recompile_names_the_stance_its_line_and_the_guard() -> None:
    recording, ran = of(fails, raises="fail_on_recompile")
    assert ran == 2
    refusal = only(recording)
    assert (refusal.effect, refusal.times, refusal.had_code) == ("raised", 1, True)
    assert lines(recording, refusal) == (line_of(fails, "set_stance"), line_of(fails, "ones(5)"))
    assert [(one.was, one.now) for one in refusal.failed] == [("4", "5")]
    said = told(recording)
    assert 'set_stance("fail_on_recompile")' in said
    assert "`x.shape[0]` was 4, now 5, which rules out 0/0" in said
    assert "torch._dynamo.mark_dynamic(x, 0)" in said
    assert "1 call of scale was refused" in on_terminal(recording)
    assert "was refused" in build(recording).summary.sentence
    assert not recording.recompiles, "nothing was compiled again"
    [finding] = [one for one in recording.findings if one.rule == "refused-call"]
    assert (finding.level, finding.code) == ("problem", 'torch.compiler.set_stance("default")')


def fails_at_once(compiled: Any) -> None:
    with torch.compiler.set_stance("fail_on_recompile"):
        compiled(torch.ones(4))


def test_a_first_call_under_it_had_no_code() -> None:
    recording, ran = of(fails_at_once, raises="fail_on_recompile")
    assert ran == 0
    refusal = only(recording)
    assert (refusal.effect, refusal.had_code, refusal.failed) == ("raised", False, ())
    assert "fresh=False" in told(recording)
    [frame] = build(recording).frames
    assert "only called under a stance" in frame.explanation


def test_with_the_first_call_before_it_nothing_is_refused() -> None:
    """What the advice says: the same program, recorded without forgetting what was compiled."""
    compiled = torch.compile(scale, backend=Ran(), dynamic=False)
    compiled(torch.ones(4))
    with lab.record(fresh=False) as recorder:
        fails_at_once(compiled)
    assert recorder.recording.refusals == ()


def leaves_to_python(compiled: Any) -> None:
    compiled(torch.ones(4))
    with torch.compiler.set_stance("eager_on_recompile"):
        compiled(torch.ones(4))
        compiled(torch.ones(5))
        compiled(x=torch.ones(6))
        compiled(torch.ones(4), 3)


def test_eager_on_recompile_counts_the_calls_that_ran_eagerly() -> None:
    recording, ran = of(leaves_to_python)
    assert ran == 2
    of_size, of_number = recording.refusals
    assert (of_size.effect, of_size.times) == ("eager", 2), "a size that goes on changing is one"
    assert (of_number.effect, of_number.times) == ("eager", 1)
    assert ran + of_size.times + of_number.times == 5
    set_at, called_at = lines(recording, of_size)
    assert set_at == line_of(leaves_to_python, "set_stance")
    assert called_at == line_of(leaves_to_python, "ones(5)")
    first, second = build(recording).guards.refusals
    assert "a tensor in its place avoids this" in " ".join(one.text for one in second.remedies)
    assert first.title == "2 calls of scale ran eagerly"
    assert second.reasons == ("`n` was 2, now 3, which rules out 0/0.",)
    assert {one.level for one in recording.findings} == {"note"}


def test_marked_dynamic_as_advised_none_of_them_runs_eagerly() -> None:
    backend = Ran()
    compiled = torch.compile(scale, backend=backend, dynamic=False)
    first = torch.ones(4)
    torch._dynamo.mark_dynamic(first, 0)
    with lab.record() as recorder:
        compiled(first)
        with torch.compiler.set_stance("eager_on_recompile"):
            compiled(torch.ones(5))
    assert backend.calls == 2
    assert recorder.recording.refusals == ()


def test_a_tensor_in_a_numbers_place_as_advised_none_of_them_runs_eagerly() -> None:
    backend = Ran()
    compiled: Any = torch.compile(scale, backend=backend, dynamic=False)
    with lab.record() as recorder:
        compiled(torch.ones(4), torch.tensor(2))
        with torch.compiler.set_stance("eager_on_recompile"):
            compiled(torch.ones(4), torch.tensor(3))
    assert backend.calls == 2
    assert recorder.recording.refusals == ()


class Scale(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return scale(x, 3)


def test_of_a_module_and_of_a_closure_the_guards_are_asked_alike() -> None:
    backend, factor = Ran(), 2

    def closed(x: torch.Tensor) -> torch.Tensor:
        return x * factor

    module = Scale()
    module.compile(backend=backend, dynamic=False)
    wrapped = torch.compile(Scale(), backend=backend, dynamic=False)
    function = torch.compile(closed, backend=backend, dynamic=False)
    with lab.record() as recorder:
        for call in (module, wrapped, function):
            call(torch.ones(4))
        with torch.compiler.set_stance("eager_on_recompile"):
            for call in (module, wrapped, function):
                call(torch.ones(4))
                call(torch.ones(5))
    assert backend.calls == 6
    of_forward, of_closure = recorder.recording.refusals
    assert (of_forward.effect, of_forward.times) == ("eager", 2), "they share the code of `forward`"
    assert (of_closure.effect, of_closure.times) == ("eager", 1)
    assert of_forward.had_code
    assert of_closure.had_code
    frames = recorder.recording.frames
    assert frames[of_forward.frame].name == "Scale.forward"


def forces(compiled: Any) -> None:
    with torch.compiler.set_stance("force_eager"):
        compiled(torch.ones(4))
        compiled(torch.ones(4))


def test_force_eager_runs_each_call_eagerly() -> None:
    recording, ran = of(forces)
    assert ran == 0
    refusal = only(recording)
    assert (refusal.effect, refusal.times) == ("eager", 2)
    assert "2 calls of `scale` ran eagerly" in build(recording).summary.sentence
    assert 'torch.compiler.set_stance("default")' in told(recording)
    assert recording.findings == ()


def leaves_unchecked(compiled: Any) -> None:
    compiled(torch.ones(4))
    compiled(torch.ones(5))
    with torch.compiler.set_stance("default", skip_guard_eval_unsafe=True):
        compiled(torch.ones(4))
        wrong = compiled(torch.ones(4), 3)
        assert wrong.tolist() == [2.0] * 4, "the code is for n == 2, and nothing noticed"
        compiled(torch.ones(6))


def test_code_that_ran_for_other_values_is_said() -> None:
    recording, ran = of(leaves_unchecked, raises="skip_guard_eval_unsafe")
    assert ran == 4
    unchecked, raised = recording.refusals
    assert (unchecked.effect, unchecked.failed[0].was, unchecked.failed[0].now) == (
        "unchecked",
        "2",
        "3",
    )
    assert lines(recording, unchecked)[1] == line_of(leaves_unchecked, "ones(4), 3")
    assert raised.effect == "raised"
    [finding] = [one for one in recording.findings if one.question == "numbers"]
    assert "ran code that was compiled for other values" in finding.sentence


def is_an_error(compiled: Any) -> None:
    compiled(torch.ones(4))
    compiled(torch.ones(5))


def test_error_on_recompile_names_the_setting() -> None:
    with torch._dynamo.config.patch(error_on_recompile=True):
        recording, ran = of(is_an_error, raises="Recompiling function scale")
    assert ran == 1
    refusal = only(recording)
    assert refusal.effect == "raised"
    assert refusal.by == "torch._dynamo.config.error_on_recompile = True"
    assert lines(recording, refusal) == (None, line_of(is_an_error, "ones(5)"))
    assert "torch._dynamo.config.error_on_recompile = False" in told(recording)
    assert "error_on_recompile" in build(recording).summary.sentence


def test_under_the_default_stance_nothing_is_refused() -> None:
    recording, ran = of(is_an_error)
    assert ran == 2
    assert recording.refusals == ()


def test_the_first_guard_that_failed_is_named_alone_and_the_view_says_so() -> None:
    def failed(first: tuple[int, int], then: tuple[int, int]) -> list[str]:
        torch.compiler.reset()
        compiled = torch.compile(scale, backend="eager", dynamic=False)
        with lab.record() as recorder:
            for size, n in (first, then):
                compiled(torch.ones(size), n)
        view = build(recorder.recording)
        [told] = [one.paragraph for one in view.readings if one.view == "guards"]
        assert "names that one alone" in " ".join(told.split())
        return [cause.text for item in view.guards.recompiles for cause in item.causes]

    [both] = failed((4, 2), (5, 3))
    alone = [*failed((4, 2), (5, 2)), *failed((4, 2), (4, 3))]
    assert both in alone
    assert len(alone) == 2

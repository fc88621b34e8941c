"""Why real code is compiled again, whether what is advised stops it, and what an input would do."""

import enum
from collections import defaultdict
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.api.handle import answer
from dynamo_lab.capture.core.values import sources_in
from dynamo_lab.capture.guards.guard_failures import tell
from dynamo_lab.errors import GuardsError
from dynamo_lab.model.core import codec
from dynamo_lab.view import build
from dynamo_lab.view.guards.failing import describe
from dynamo_lab.view.guards.guards import RecompileView
from tests.live.lines import line_of


def scale(x: torch.Tensor, n: Any) -> torch.Tensor:
    return (x * n).relu()


def stories(recording: lab.Recording) -> tuple[RecompileView, ...]:
    return build(recording).guards.recompiles


@pytest.fixture(scope="module")
def four() -> lab.Recording:
    """A function that is compiled again four times, each time for another reason."""
    with lab.record() as recorder:
        compiled = torch.compile(scale, backend="eager")
        compiled(torch.randn(8, 3), 3)
        compiled(torch.randn(16, 3), 3)
        compiled(torch.randn(16, 3).double(), 3)
        compiled(torch.randn(16, 3), 4)
        with torch.no_grad():
            compiled(torch.randn(16, 3), 4)
    return recorder.recording


def test_four_recompilations_tell_four_true_stories(four: lab.Recording) -> None:
    assert [story.causes[0].text for story in stories(four)] == [
        "`x.shape[0]` was 8, now 16",
        "`x.dtype` was torch.float32, now torch.float64",
        "`n` was 3, now 4",
        "grad mode was on, now off",
    ]


def test_the_line_that_made_the_guard_is_named(four: lab.Recording) -> None:
    size, _, number, _ = stories(four)
    line = line_of(scale, "x * n")
    assert [cause.where for cause in (size.causes[0], number.causes[0])] == [f"line {line}"] * 2


def test_what_differs_is_told(four: lab.Recording) -> None:
    size, dtype, number, mode = (story.changes for story in stories(four))
    assert size is not None
    assert dtype is not None
    assert number is not None
    assert mode is not None
    assert any("x.shape[0]" in text for text in size.symbols)
    assert {sign for sign, _ in dtype.graph} == {"~"}
    assert any("`n` is dynamic now" in text for text in number.symbols)
    assert mode.graph == ()


Call = tuple[Any, ...]


def _calls(kind: str) -> tuple[Call, Call]:
    x = torch.randn(8, 3)
    return {
        "size": ((x, 3), (torch.randn(16, 3), 3)),
        "dtype": ((x, 3), (x.double(), 3)),
        "number": ((x, 3), (x, 4)),
        "type": ((x, 3), (x, 3.0)),
        "gradient": ((x, 3), (x.clone().requires_grad_(), 3)),
        "stride": ((x, 3), (torch.randn(3, 8).t(), 3)),
    }[kind]


def _remedies(kind: str) -> Iterator[str]:
    with lab.record() as recorder:
        compiled = torch.compile(scale, backend="eager")
        for call in _calls(kind):
            compiled(*call)
    (story,) = stories(recorder.recording)
    yield from (remedy.code for cause in story.causes for remedy in cause.remedies if remedy.code)


@pytest.mark.parametrize("kind", ["size", "dtype", "number", "type", "gradient", "stride"])
def test_what_is_advised_stops_the_recompilation(kind: str) -> None:
    tried = list(_remedies(kind))
    assert tried
    for code in tried:
        makes_compiled = code.startswith("compiled =")
        with lab.record() as recorder:
            scope: dict[str, Any] = {"torch": torch, "fn": scale}
            exec(code if makes_compiled else "compiled = torch.compile(fn, backend='eager')", scope)
            for x, n in _calls(kind):
                scope.update(x=x, n=n)
                if not makes_compiled:
                    exec(code, scope)
                scope["compiled"](scope["x"], scope["n"])
        assert recorder.recording.recompiles == (), code


def test_the_grad_mode_that_is_advised_stops_the_recompilation(four: lab.Recording) -> None:
    (remedy,) = stories(four)[3].causes[0].remedies
    with lab.record() as recorder:
        compiled = torch.compile(scale, backend="eager")
        compiled(torch.randn(8, 3), 3)
        with torch.no_grad():
            exec(remedy.code.replace("...", "x, 3"), {
                "torch": torch, "compiled": compiled, "x": torch.randn(8, 3)
            })  # fmt: skip
    assert recorder.recording.recompiles == ()


def test_a_size_of_one_and_its_remedy() -> None:
    def run(prepare: Callable[[torch.Tensor], object]) -> lab.Recording:
        with lab.record() as recorder:
            compiled = torch.compile(scale, backend="eager", dynamic=True)
            for size in (8, 1):
                x = torch.randn(size, 3)
                prepare(x)
                compiled(x, 3)
        return recorder.recording

    (story,) = stories(run(lambda x: None))
    assert story.causes[0].text == "`x.shape[0]` is 1 now; this code is for 2 or more"
    code = story.causes[0].remedies[0].code
    assert run(lambda x: exec(code, {"torch": torch, "x": x})).recompiles == ()


def test_values_are_told_without_running_the_users_code() -> None:
    class Loud:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def __repr__(self) -> str:
            raise AssertionError("the recording asked for a repr")

    def f(x: torch.Tensor, config: Any) -> torch.Tensor:
        return x * config.factor

    with lab.record() as recorder:
        compiled = torch.compile(f, backend="eager")
        compiled(torch.randn(3), Loud(2))
        compiled(torch.randn(3), Loud(3))
    assert recorder.recording.notes == ()
    assert stories(recorder.recording)[0].causes[0].text == "`config.factor` was 2, now 3"


def test_an_input_is_tried_on_each_compilation(four: lab.Recording) -> None:
    passes = four.would_pass(torch.randn(5, 3), 7)
    assert passes.reuses == "0/3"
    assert [check.compile_id for check in passes.checks] == ["0/4", "0/3", "0/2", "0/1", "0/0"]
    assert passes.checks[0].text == "grad mode was off, now on"
    fails = four.would_pass(torch.randn(5, 3, dtype=torch.float16), n=4)
    assert fails.reuses is None
    assert "`x.dtype` was torch.float32, now torch.float16" in fails.checks[1].text
    assert four.recompiles[0].compile_id == "0/1"  # asking compiles nothing


def test_what_is_foretold_comes_true() -> None:
    with lab.record() as recorder:
        compiled = torch.compile(scale, backend="eager")
        compiled(torch.randn(8, 3), 3)
        known = recorder.recording
        for call in ((torch.randn(8, 3), 3), (torch.randn(9, 3), 3), (torch.randn(8, 3), "a")):
            foretold = known.would_pass(*call)
            before = len(recorder.recompiles)
            try:
                compiled(*call)
            except Exception:
                assert call[1] == "a"
            assert (foretold.reuses is None) == (len(recorder.recompiles) > before)


def test_modules_and_methods_can_be_asked() -> None:
    class Scale(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3))

        def forward(self, x: torch.Tensor, twice: bool = False) -> torch.Tensor:
            return x * self.weight * (2 if twice else 1)

    module = Scale()
    recording = lab.explore(module, torch.randn(8, 3), backend="eager")
    assert recording.would_pass(torch.randn(8, 3)).reuses == "0/0"
    assert "`twice`" in recording.would_pass(torch.randn(8, 3), twice=True).checks[0].text


def test_guards_that_were_forgotten_say_so() -> None:
    x = torch.randn(8, 3)
    recording = lab.explore(scale, x, 3, backend="eager")
    assert "forgotten" not in recording.would_pass(x, 3).sentence
    torch.compiler.reset()
    assert "Dynamo has since discarded that code" in recording.would_pass(x, 3).sentence


def test_what_cannot_be_asked_is_one_sentence(four: lab.Recording) -> None:
    with pytest.raises(GuardsError, match="missing a required argument: 'n'"):
        four.would_pass(torch.randn(3))
    with pytest.raises(GuardsError, match="Frame 99 has no guards"):
        four.would_pass(frame=99)
    with pytest.raises(GuardsError, match="no live guards"):
        codec.decode(codec.encode(four), type=lab.Recording).would_pass(torch.randn(3), 3)


def test_a_question_from_the_view_is_answered_or_explained(four: lab.Recording) -> None:
    pytest.importorskip("IPython")

    def asked(text: str) -> dict[str, Any]:
        return answer(four, "would_pass", {"text": text})

    assert asked("__import__('torch').randn(5, 3), n=7")["answer"]["reuses"] == "0/3"
    assert "are not valid arguments" in asked("torch.randn(")["error"]
    assert "NameError" in asked("nobody")["error"]
    assert "missing a required argument" in asked("__import__('torch').randn(3)")["error"]
    assert "cannot answer" in answer(four, "what is love", {})["error"]


def test_the_guard_of_a_tensor_is_what_dynamo_checks() -> None:
    class Scaled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.weight

    recording = lab.explore(Scaled(), torch.randn(8, 3), backend="eager")
    view = build(recording).guards.guards
    told = {guard.source: guard.text for guard in view if guard.kind == "TENSOR_MATCH"}
    assert told["L['x']"] == ("x: float32 [8, 3], contiguous, CPU, no grad")
    assert told["L['self']._parameters['weight']"] == (
        "self.weight: Parameter of float32 [3], contiguous, CPU, grad"
    )
    state = [guard for guard in view if guard.is_state]
    assert view[-len(state) :] == tuple(state)
    assert any(guard.text.startswith("grad mode on, ") for guard in state)


def test_tensors_that_may_not_be_one_are_a_guard_and_its_failure_is_told() -> None:
    def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x + y

    x, y = torch.randn(3), torch.randn(3)
    recording = lab.explore(add, x, y, backend="eager")
    guards = [g for g in recording.guards if g.kind == "NO_TENSOR_ALIASING"]
    assert [guard.expressions for guard in guards] == [("check_no_aliasing(L['x'], L['y'])",)]
    assert "two arguments are the same tensor now" in str(recording.would_pass(x, x))


def test_the_state_around_a_call_is_told() -> None:
    x = torch.randn(8, 3)
    recording = lab.explore(scale, x, 3, backend="eager")
    torch.use_deterministic_algorithms(True)
    try:
        assert "deterministic algorithms was off, now on" in str(recording.would_pass(x, 3))
    finally:
        torch.use_deterministic_algorithms(False)
    with torch.device("meta"):
        assert "`with torch.device(...)`" in str(recording.would_pass(x, 3))
    marked = torch.randn(8, 3)
    torch._dynamo.maybe_mark_dynamic(marked, 0)
    (check,) = recording.would_pass(marked, 3).checks
    assert check.text == "a size of a tensor is marked dynamic now, which it was not"


class Holder:
    """What an optimizer is to the guards: a dict whose keys are tensors."""

    def __init__(self, state: dict[torch.Tensor, dict[str, int]]) -> None:
        self.state = state


def test_what_a_dict_holds_under_a_tensor_is_told_by_its_own_length() -> None:
    torch._dynamo.reset()
    key = torch.ones(2)

    def times_lengths(x: torch.Tensor, holder: Holder) -> torch.Tensor:
        return x * (2 if next(iter(holder.state.values())) else 3)

    with lab.record() as recorder:
        compiled = torch.compile(times_lengths, backend="eager")
        for inner in ({}, {"step": 1}):
            compiled(torch.ones(3), Holder(defaultdict(dict, {key: inner})))
    (failed,) = recorder.recording.recompiles[0].failed
    assert describe(failed) == (
        "`len(holder.state[list(dict.keys(holder.state))[0]])` was 0, now 1"
    )


def test_a_dict_of_another_length_is_told_by_the_value_that_the_check_names() -> None:
    """As C++ reports it: the check that failed says what does not hold, and its key is a source."""
    state = {torch.ones(1): {"step": 1, "momentum": 2}}
    scope = SimpleNamespace(global_scope={"G": {}})
    nested = "L['o'].state[list(dict.keys(L['o'].state))[0]]"
    told = tell(f"len({nested}) != 0", {"o": Holder(defaultdict(dict, state))}, scope)
    assert (told.source, told.was, told.now) == (nested, "0", "2")
    assert sources_in(f"{nested} is L['x'].grad") == [nested, "L['x'].grad"]


def test_a_loop_over_an_iterator_that_was_handed_over_has_no_break_inside() -> None:
    def added(x: torch.Tensor, rows: Iterator[int]) -> torch.Tensor:
        for row in rows:
            x = x + row
        return x

    with lab.record() as recorder:
        compiled = torch.compile(added, backend="eager")
        for n in (3, 4):
            compiled(torch.ones(3), iter(range(n)))
    assert not recorder.recording.breaks
    (finding,) = recorder.recording.findings
    assert finding.sentence.startswith("`rows` changes: ")
    assert "Values seen" not in finding.sentence


def test_a_member_of_an_enumeration_is_a_value_and_no_object_to_be_made_once() -> None:
    class Act(enum.Enum):
        RELU = "relu"
        SINE = "sine"

    def f(x: torch.Tensor, act: Act) -> torch.Tensor:
        return x.relu() if act is Act.RELU else x.sin()

    with lab.record() as recorder:
        compiled = torch.compile(f, backend="eager")
        for act in (Act.RELU, Act.SINE):
            compiled(torch.ones(3), act)
    [cause] = stories(recorder.recording)[0].causes
    assert cause.text == "`act` was Act.RELU, now Act.SINE"
    assert "each value needs its own code" in cause.remedies[0].text

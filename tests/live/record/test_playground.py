"""A program's text that is changed and lowered again: nothing of it runs or stays."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.api.handle import answer
from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import LoweringError, OptionError, StoppedError
from dynamo_lab.live.playground import playground as module
from dynamo_lab.live.playground.playground import Playground
from dynamo_lab.model.core import codec

if TYPE_CHECKING:
    from collections.abc import Generator

can_copy = pytest.mark.skipif(sys.platform != "linux", reason="a process is copied on Linux alone")

RAN: list[str] = []
SCALE = 2.0


def helper(x: torch.Tensor) -> torch.Tensor:
    return x.sin()


def program(x: torch.Tensor) -> torch.Tensor:
    RAN.append("program")
    y = helper(x) + 1
    return y * SCALE


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x * self.weight).relu()


@pytest.fixture(scope="module")
def recording() -> Recording:
    found = lab.lower(program, torch.ones(4, 8))
    RAN.clear()
    return found


@pytest.fixture(scope="module")
def ground(recording: Recording) -> Generator[Playground, None, None]:
    made = Playground(recording, recording.program(), seconds=120)
    yield made
    made.close()


def test_a_changed_text_is_lowered_and_not_run(ground: Playground) -> None:
    assert ground.text.startswith("def program(x")
    draft = ground.begin(ground.text.replace("y * SCALE", "y.cos()"), ground.choice())()
    assert draft.facts is not None
    assert not draft.has_failed
    assert [one.name for one in draft.facts.kernels] == ["cpp_fused_add_cos_sin_0"]
    assert draft.facts.environment.options["playground"]
    source = draft.facts.sources[draft.source or 0]
    assert source.line(4) == "    return y.cos()"
    assert RAN == []


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_text_as_it_ran_has_the_kernels_that_ran(threads: int) -> None:
    """The copy has one thread; code for one has no loop in parallel."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        recording = lab.lower(program, torch.ones(512, 512))
        made = Playground(recording, recording.program(), seconds=120)
        draft = made.begin(made.text, made.choice())()
        made.close()
    finally:
        torch.set_num_threads(before)
        RAN.clear()  # lowering runs the program here, where it is captured
    assert draft.facts is not None
    assert [one.code for one in draft.facts.kernels] == [one.code for one in recording.kernels]
    assert ("#pragma omp parallel" in recording.kernels[0].code) == (threads > 1)


def test_what_its_definitions_do_stays_in_the_copy(ground: Playground) -> None:
    text = f"class Own:\n    RAN.append('own')\n{ground.text}\nRAN.append('top')"
    draft = ground.begin(text, ground.choice())()
    assert draft.facts is not None
    assert draft.idle == (7,)  # the call at the top, which does not even run there
    assert (RAN, "Own" in globals()) == ([], False)


@pytest.mark.parametrize(
    ("change", "line", "told"),
    [
        (("y * SCALE", "(y"), 4, "SyntaxError: '(' was never closed"),
        (("+ 1", "@ x"), 3, "reduction dim"),
        (("def program", "import nosuch\ndef program"), 1, "ModuleNotFoundError: No module"),
        (("def program(x:", "def program(x=nosuch, y:"), 1, "SyntaxError"),
        (("def program", "@nosuch\ndef program"), 1, "NameError: name 'nosuch' is not defined"),
    ],
)
def test_a_failure_is_told_at_its_line(
    ground: Playground, change: tuple[str, str], line: int, told: str
) -> None:
    draft = ground.begin(ground.text.replace(*change), ground.choice())()
    assert draft.has_failed
    (found,) = draft.diagnostics
    assert (found.severity, found.line) == ("error", line)
    assert told in found.message
    assert "\n" not in found.message


def test_it_ends_at_a_graph_break(ground: Playground) -> None:
    text = ground.text.replace("    return y", "    print(y.sum().item())\n    return y")
    draft = ground.begin(text, ground.choice())()
    assert draft.facts is not None
    assert not draft.has_failed
    (found,) = draft.diagnostics
    assert (found.severity, found.line) == ("warning", 4)
    assert found.message.startswith("Graph break: ")
    assert "What follows is not lowered" in found.message


def test_a_text_without_the_function_is_refused(ground: Playground) -> None:
    wait = ground.begin(ground.text.replace("def program", "def other"), ground.choice())
    with pytest.raises(LoweringError, match="Nothing here defines `program`"):
        wait()


@can_copy
def test_a_text_without_an_end_is_ended_and_the_next_one_is_not(recording: Recording) -> None:
    made = Playground(recording, recording.program(), seconds=1)
    endless = f"class Own:\n    while True: pass\n{made.text}"
    with pytest.raises(StoppedError, match="more than 1 s"):
        made.begin(endless, made.choice())()
    assert made.begin("def program(:", made.choice())().diagnostics[0].line == 1
    made.close()


@can_copy
def test_a_newer_text_ends_an_older_one(recording: Recording) -> None:
    made = Playground(recording, recording.program(), seconds=120)
    endless = f"class Own:\n    while True: pass\n{made.text}"
    first = made.begin(endless, made.choice())
    second = made.begin("def program(:", made.choice())
    assert second().has_failed
    with pytest.raises(StoppedError, match="newer"):
        first()
    made.close()


@can_copy
def test_a_text_that_ends_its_process_harms_nothing(ground: Playground) -> None:
    text = f"class Own:\n    import os; os._exit(3)\n{ground.text}"
    with pytest.raises(StoppedError, match="Nothing here was harmed"):
        ground.begin(text, ground.choice())()
    assert ground.begin("def program(:", ground.choice())().has_failed


@can_copy
def test_names_that_have_another_value_since_have_it_there(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Playground(recording, recording.program(), seconds=120)
    text = f"class Own:\n    assert SCALE == 2.0\n{made.text.replace('y *', '(y *')}"
    assert made.begin(text, made.choice())().diagnostics[0].message.startswith("SyntaxError")
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    text = f"class Own:\n    assert SCALE == 2.0\n{made.text}"
    assert made.begin(text, made.choice())().diagnostics[0].message == "AssertionError"
    made.close()


def test_a_module_keeps_its_parameters_and_an_inner_function_its_variables() -> None:
    net, factor = Net(), 3.0

    def inner(x: torch.Tensor) -> torch.Tensor:
        return x * factor

    for thing, old, new, name in (
        (net, "relu", "tanh", "tanh"),
        (inner, "factor", "factor + 1", "add"),
    ):
        with lab.lower(thing, torch.ones(4, 8)).playground(seconds=120) as ground:
            changed = ground.lower(ground.text.replace(old, new))
        assert any(name in kernel.name for kernel in changed.kernels)
    assert type(net) is Net


@pytest.mark.parametrize("failing", [False, True])
def test_where_it_cannot_be_copied_all_is_put_back(
    recording: Recording, monkeypatch: pytest.MonkeyPatch, failing: bool
) -> None:
    from torch._dynamo import convert_frame

    monkeypatch.setattr(module, "can_fork", lambda: False)
    made = Playground(recording, recording.program())
    before = dict(globals())
    private = convert_frame.ConvertFrameAssert.__call__, convert_frame.CatchErrorsWrapper.__call__
    text = made.text.replace("+ 1", "@ x" if failing else "+ 2")
    draft = made.begin(f"NEW = 1\n{text}", made.choice())()
    assert draft.has_failed == failing
    assert dict(globals()) == before
    assert RAN == []
    assert private == (
        convert_frame.ConvertFrameAssert.__call__,
        convert_frame.CatchErrorsWrapper.__call__,
    )


def test_a_text_for_the_backend_lab_and_for_targets(recording: Recording) -> None:
    with recording.playground(seconds=120) as ground:
        own = ground.lower(backend="lab")
        assert own.environment.options["backend"] == "lab"
        assert own.kernels[0].language == "c"
        with pytest.raises(OptionError, match="no target 'cuba'"):
            ground.lower(target="cuba")
        with pytest.raises(OptionError, match="prints no code"):
            ground.lower(backend="eager")
        with pytest.raises(LoweringError, match=r"^Line 1: SyntaxError"):
            ground.lower("def program(:")


def test_a_view_asks_for_it_and_gets_a_page(recording: Recording) -> None:
    def ask(question: str, **asked: Any) -> Any:
        return answer(recording, question, asked)

    opened = ask("playground")["answer"]
    assert (opened["name"], opened["target"]) == (os.path.basename(__file__), "cpu")
    assert opened["inputs"] == "f32[4, 8]"
    assert "nothing to save yet" in ask("draft_page", columns=["0"])["error"]
    assert "no such kernel" in ask("draft_assembly", column="0", kernel=0)["error"]
    text = opened["text"].replace("y * SCALE", "y.exp()")
    drafted = ask("draft", column="0", text=text, how={"target": "cpu"})["answer"]
    assert drafted["facts"] == "1 kernel"
    (part,) = drafted["edit"]["parts"]
    assert part["added"] == ("    return y.exp()",)
    kernel = drafted["kernels"]["kernels"][0]
    assert {line for _, source, line in kernel["origins"] if source == drafted["source"]} >= {3, 4}
    page = ask("draft_page", columns=["0"])["answer"]
    assert page["name"] == "playground.html"
    assert page["html"].startswith("<!doctype html>")
    recording.session.close()


def test_without_its_program_there_is_none(recording: Recording) -> None:
    loaded = Recording.of(codec.decode(codec.encode(recording)), lab.Recording(title="").session)
    with pytest.raises(LoweringError, match="There is no program to change"):
        loaded.playground()
    nameless = eval("lambda x: x + 1")
    with pytest.raises(LoweringError, match="The text of <lambda> is not known"):
        lab.lower(nameless, torch.ones(2)).playground()

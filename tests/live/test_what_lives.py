"""What lives of a run has one owner and one life; without it, a recording is as out of a file."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.api.recording import Recording
from dynamo_lab.capture.decompositions.later import Later
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.model.core import codec
from dynamo_lab.model.recording import Recording as Facts
from dynamo_lab.record.explore import explore, record
from dynamo_lab.record.run import Choice

if TYPE_CHECKING:
    from collections.abc import Callable

PLAIN = (str, bytes, int, float, bool, type(None))

ASKED: dict[str, Callable[[Recording], object]] = {
    "try_fix": lambda r: r.breaks[0].try_fix(),
    "relower": lambda r: r.relower(),
    "bench": lambda r: r.bench(rounds=1, seconds=0.1),
    "would_pass": lambda r: r.would_pass(torch.ones(4, 4)),
    "repartition": lambda r: r.repartition(),
    "assembly": lambda r: r.assembly(0),
    "check_kernels": lambda r: r.check_kernels(),
    "edit_kernel": lambda r: r.edit_kernel(0, "x"),
}


def program(x: torch.Tensor) -> torch.Tensor:
    y = torch.sin(x) * 2
    print("halfway")
    return (y.cos() + 1).sum()


@pytest.fixture(scope="module")
def own() -> Recording:
    return lab.lower(program, torch.ones(4, 4, requires_grad=True), grad=True)


def said(recording: Recording, ask: Callable[[Recording], object]) -> str:
    with pytest.raises(DynamoLabError) as told:
        ask(recording)
    return f"{type(told.value).__name__}: {told.value}"


@pytest.mark.parametrize("name", ASKED)
def test_a_closed_session_answers_as_a_loaded_recording(own: Recording, name: str) -> None:
    closed = lab.lower(program, torch.ones(4, 4, requires_grad=True), grad=True)
    loaded = codec.decode(codec.encode(closed), Recording)
    closed.session.close()
    closed.session.close()
    assert said(closed, ASKED[name]) == said(loaded, ASKED[name])
    assert closed.runs() is None
    assert own.program() is not None  # another's session is none of its business


def test_what_is_open_answers(own: Recording) -> None:
    assert own.repartition(1.0).rows
    assert own.relower().program() is not None
    assert own.relower().session is not own.session


@pytest.mark.parametrize("freed", ["handle", "session"])
def test_the_program_lives_as_long_as_the_handle_or_until_the_session_is_closed(
    freed: str,
) -> None:
    model = nn.Linear(2, 2)
    alive = weakref.ref(model)
    recording: Any = lab.explore(model, torch.ones(1, 2), backend="eager")
    program = weakref.ref(recording.program())
    del model
    torch._dynamo.reset()
    gc.collect()
    assert alive() is not None
    if freed == "session":
        recording.session.close()
    else:
        del recording
    gc.collect()
    assert (alive(), program()) == (None, None)


def test_the_facts_of_a_run_hold_no_living_thing() -> None:
    def walk(thing: Any) -> None:
        if isinstance(thing, Later):
            thing.whole()  # what it is made of is let go
        if isinstance(thing, msgspec.Struct):
            assert not getattr(thing, "__dict__", None), type(thing)
            thing = msgspec.structs.astuple(thing)
        if isinstance(thing, dict):
            thing = (*thing, *thing.values())
        if isinstance(thing, tuple | list):
            for one in thing:
                walk(one)
        else:
            assert isinstance(thing, PLAIN), type(thing)

    run = explore(program, (torch.ones(4, 4),), {}, Choice(), backend="eager")
    assert type(run.facts) is Facts
    walk(run.facts)
    assert run.program is not None


def test_a_recorder_gives_facts_and_the_public_one_a_handle() -> None:
    with record("facts") as recorder:
        torch.compile(program, backend="eager")(torch.ones(2, 2))
    assert type(recorder.recording) is Facts
    with lab.record("handle") as public:
        torch.compile(program, backend="eager")(torch.ones(2, 2))
        during = public.recording
        assert type(during) is Recording
        assert during.state == "recording"
        assert during.would_pass(torch.ones(2, 2))
    done = public.recording
    assert done.state == "done"
    assert done.session.checks is during.session.checks is public.checks
    during.session.close()
    assert done.would_pass(torch.ones(2, 2))


def test_decompositions_that_nobody_looked_at_keep_no_program_alive() -> None:
    model = nn.Linear(2, 2)
    alive = weakref.ref(model)
    facts = explore(model, (torch.ones(1, 2),), {}, Choice(), backend="aot_eager").facts
    assert isinstance(facts.decompositions, Later)
    del model
    torch.compiler.reset()
    gc.collect()
    assert alive() is None
    assert facts.decompositions.calls


def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2.0390625 + 0.40625


def test_what_pytorch_keeps_of_a_compilation_holds_nothing_of_its_recording() -> None:
    torch.compiler.reset()
    with lab.record() as recorder:
        torch.compile(doubled)(torch.ones(64))
    assert recorder.recording.kernels
    left = weakref.ref(recorder)
    del recorder
    gc.collect()
    assert left() is None

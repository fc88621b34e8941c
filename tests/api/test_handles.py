"""What a user holds of a recording: facts that hold nothing living, and a session beside them."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from dynamo_lab.api.handle import answer
from dynamo_lab.api.recording import Recording, run
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.live.session import Session
from dynamo_lab.model.benchmarks import Benchmark
from dynamo_lab.model.core import codec
from dynamo_lab.model.recording import Recording as Facts
from dynamo_lab.record.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable

ASKED: tuple[Callable[[Recording], object], ...] = (
    lambda r: r.breaks[0].try_fix(),
    lambda r: r.relower(),
    lambda r: r.bench(),
    lambda r: r.would_pass(),
    lambda r: r.repartition(),
    lambda r: r.assembly(0),
    lambda r: r.check_kernels(),
    lambda r: r.edit_kernel(0, "x"),
)


@pytest.fixture
def held(make: Callable[[str], Facts]) -> Recording:
    return codec.decode(codec.encode(make("branch_and_print")), Recording)


def test_facts_hold_nothing_but_their_fields(make: Callable[[str], Facts]) -> None:
    facts = make("branch_and_print")
    assert type(facts) is Facts
    for one in (facts, *facts.breaks, *facts.graphs, *facts.kernels):
        assert not hasattr(one, "__dict__")


@pytest.mark.parametrize("ask", ASKED)
def test_a_loaded_recording_says_that_nothing_lives(
    held: Recording, ask: Callable[[Recording], object]
) -> None:
    with pytest.raises(DynamoLabError):
        ask(held)


def test_each_handle_owns_a_session_of_its_own(held: Recording) -> None:
    other = structs.replace(held, title="other")
    assert isinstance(held.session, Session)
    assert held.session is held.session
    assert held.session is not other.session
    assert held.with_benchmark(Benchmark(title="f")).session is held.session


def test_a_session_is_no_part_of_the_facts(held: Recording) -> None:
    program: Any = object()
    owner = Recording.of(held, Session(Run(facts=held, program=program)))
    assert owner.program() is program
    assert owner == held
    assert codec.encode(owner) == codec.encode(held)
    for copied in (copy.copy(owner), pickle.loads(pickle.dumps(owner)), structs.replace(owner)):
        assert copied == owner
        assert copied.program() is None
        assert copied.breaks[0].fixes == owner.breaks[0].fixes


def test_breaks_and_graphs_know_the_handle_they_are_of(held: Recording) -> None:
    other = Recording.of(held, Session())
    assert held.graphs[0].find("op:*") == other.graphs[0].find("op:*") == held.find("op:*", 0)
    assert other.graphs[0] is not held.graphs[0]
    assert other.graphs[0] == held.graphs[0]


def test_a_closed_session_holds_nothing_and_closes_again(held: Recording) -> None:
    program: Any = object()
    session = Session(Run(facts=held, program=program))
    assert (session.program, session.can_assemble) == (program, True)
    for _ in range(2):
        session.close()
        assert vars(session) == vars(Session())


def test_a_view_gets_the_same_sentences(held: Recording, make: Callable[[str], Facts]) -> None:
    asked: dict[str, Any] = {"target": "", "switches": {}}
    said = answer(held, "switches", asked)["error"]
    assert "There is no program to lower again" in said
    assert answer(make("branch_and_print"), "switches", asked) == {"error": said}
    with pytest.raises(DynamoLabError, match="There is no program to run again"):
        run(make("branch_and_print"), "relower", asked)

# pyright: reportPrivateUsage=false
"""Decompositions that are worked out when somebody looks: once, wherever the recording went."""

import pickle
import threading
import time
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from dynamo_lab.capture.decompositions.decompositions import DecompositionProbes
from dynamo_lab.capture.decompositions.later import Later
from dynamo_lab.model.core import codec
from dynamo_lab.model.decompositions import Call, Decompositions, Rule, Traced, Way
from dynamo_lab.model.ranks import jobs
from dynamo_lab.model.recording import Recording

TRACED = (Traced(call=0, rule=0),)
WHOLE = Decompositions(
    traced=TRACED,
    calls=(Call(operator="aten.gelu.default", arguments="f32[4]", ways=(Way(end="set"),) * 3),),
    rules=(Rule(kind="registered", name="gelu"),),
)


class Counted:
    """Works them out, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> Decompositions:
        self.times += 1
        return WHOLE


@pytest.fixture
def counted() -> Counted:
    return Counted()


@pytest.fixture
def recording(counted: Counted) -> Recording:
    return Recording(title="gelu", decompositions=Later.of(TRACED, counted))


def test_what_was_traced_is_known_and_the_rest_is_worked_out_once(
    recording: Recording, counted: Counted
) -> None:
    other = structs.replace(copy(recording), title="the same")
    assert recording.decompositions.traced == TRACED
    assert counted.times == 0
    assert other.decompositions.calls == WHOLE.calls
    assert (recording.decompositions.steps, recording.decompositions.rules) == ((), WHOLE.rules)
    assert counted.times == 1


def test_a_file_has_all_of_it(recording: Recording, tmp_path: Path) -> None:
    codec.save(recording, tmp_path / "one.json")
    assert codec.load(tmp_path / "one.json").decompositions == WHOLE


def test_a_job_has_all_of_it(recording: Recording, tmp_path: Path) -> None:
    jobs.save(jobs.Job(title="job", recordings=(recording,)), tmp_path / "job.json")
    assert '"gelu"' in (tmp_path / "job.json").read_text()
    assert recording.decompositions.rules == WHOLE.rules


def pickled(one: Decompositions) -> Any:
    return pickle.loads(pickle.dumps(one))


@pytest.mark.parametrize("ask", [repr, hash, pickled])
def test_it_passes_for_the_facts(
    recording: Recording, ask: Callable[[Decompositions], Any]
) -> None:
    assert ask(recording.decompositions) == ask(WHOLE)


def test_it_is_equal_to_the_facts(recording: Recording) -> None:
    plain = Recording(title="gelu", decompositions=WHOLE)
    assert recording == plain
    assert plain == recording
    assert recording != Recording(title="gelu")


def test_one_that_fails_is_asked_again(counted: Counted) -> None:
    def fails() -> Decompositions:
        if not counted.times:
            counted()
            raise KeyboardInterrupt
        return counted()

    later = Later.of(TRACED, fails)
    with pytest.raises(KeyboardInterrupt):
        later.whole()
    assert later.calls == WHOLE.calls


def test_threads_that_ask_at_once_wait_for_one(counted: Counted) -> None:
    begun = threading.Semaphore(0)

    def slow() -> Decompositions:
        for _ in range(2):  # the other one asks meanwhile
            assert begun.acquire(timeout=60)
        time.sleep(0.1)
        return counted()

    later, found = Later.of(TRACED, slow), list[Any]()

    def ask() -> None:
        begun.release()
        found.append(later.calls)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [WHOLE.calls] * 2
    assert counted.times == 1


def test_calls_that_cannot_be_taken_apart_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    probes = DecompositionProbes()
    index = probes._call(torch.ops.aten.relu.default, (torch.ones(2),), {})
    probes._traced.append(Traced(call=index))

    def absent(*_: Any) -> None:
        raise RuntimeError("no such table")

    monkeypatch.setattr(probes, "_take_apart", absent)
    found = probes.freeze(is_done=True)
    assert found is probes.freeze(is_done=True)
    assert found.calls[index].problem == "It is not taken apart: RuntimeError: no such table"

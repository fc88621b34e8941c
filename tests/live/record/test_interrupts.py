"""An interrupt at any line of the start or the end of a recording leaves nothing behind."""

from __future__ import annotations

import argparse
import random
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.capture.core import undo as undoing
from dynamo_lab.capture.core.undo import Changes, Undo, held, whole
from dynamo_lab.capture.targets.targets import pretend
from dynamo_lab.model.targets import parse
from tests.live.record.interrupting import (
    Changed,
    Tracer,
    differences,
    raises,
    run,
    signals,
    state,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def small(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + 1


def records() -> None:
    with lab.record():
        pass


def records_steps() -> None:
    with lab.record(detail="steps", target="cpu"):
        pass


def explores() -> None:
    lab.explore(small, torch.ones(2), backend="eager")


def compiles_a_cell() -> None:
    from dynamo_lab.notebook.compiled_cell import recorded
    from dynamo_lab.record.cells import build_frame
    from dynamo_lab.record.run import Choice

    namespace: dict[str, Any] = {"x": torch.ones(2)}
    options = argparse.Namespace(backend="eager", mode=None, dynamic=None, fullgraph=False)
    frame = build_frame("y = x + 1", "<cell>", namespace)
    recorded("cell", frame, namespace, options, Choice())


def lowers() -> None:
    lab.lower(small, torch.ones(4), target="cuda:sm_90")


def benches() -> None:
    lab.bench(small, torch.ones(4), ways=[], rounds=1, seconds=0.01, kernels=False)


def pretends() -> None:
    target = parse("cuda:sm_90")
    assert target
    with pretend(target):
        pass


def tried(
    act: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    strike: Callable[[], None],
    every: int = 1,
    **asked: bool,
) -> None:
    """Interrupt `act` at its points, and compare everything afterwards."""
    changed = Changed()
    changed.spy(monkeypatch)
    act()  # all imports are done
    before, counter = state(), Tracer()
    assert not run(act, counter)
    points = list(counter.points(**asked))[::every]
    assert len(points) > 20
    interrupted = 0
    for point in points:
        interrupted += run(act, Tracer(point, strike))
        assert not changed.now(), point
        assert differences(before, state()) == {}, point
    assert interrupted > len(points) // 3  # a benchmark stops, and gives what it has


@pytest.mark.parametrize(
    ("act", "strike"),
    [
        (pretends, raises),
        pytest.param(records, raises, marks=pytest.mark.long),
        pytest.param(records, signals, marks=pytest.mark.long),
        pytest.param(records_steps, raises, marks=pytest.mark.long),
    ],
)
def test_at_each_line_of_a_start_and_an_end(
    act: Callable[[], None], strike: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried(act, monkeypatch, strike)


def test_at_a_third_of_the_lines_of_a_start_and_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    tried(records, monkeypatch, raises, every=3)


@pytest.mark.long
@pytest.mark.parametrize("strike", [raises, signals])
def test_each_time_that_a_line_runs(
    strike: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried(records, monkeypatch, strike, every=31, all_times=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "every"),
    [
        (records_steps, 18),
        (pretends, 5),
        (explores, 24),
        (lowers, 60),
        (compiles_a_cell, 48),
        (benches, 72),
        pytest.param(explores, 7, marks=pytest.mark.long),
        pytest.param(compiles_a_cell, 7, marks=pytest.mark.long),
        pytest.param(lowers, 30, marks=pytest.mark.long),
        pytest.param(benches, 7, marks=pytest.mark.long),
    ],
)
def test_around_a_program(
    act: Callable[[], None], every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried(act, monkeypatch, signals, every)


@pytest.mark.slow
@pytest.mark.parametrize("moments", [20, pytest.param(60, marks=pytest.mark.long)])
def test_at_any_moment(moments: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real signals from another thread, at moments from a seed."""
    chance = random.Random(0)
    changed = Changed()
    changed.spy(monkeypatch)
    explores()
    before = state()
    for _ in range(moments):
        timer = threading.Timer(chance.uniform(0, 0.12), signals)
        try:
            timer.start()  # on a busy machine it may be over before it is said to have begun
            explores()
            timer.join()
        except KeyboardInterrupt:
            pass
        except RuntimeError as error:
            if "PythonDispatcherTLS" not in str(error):
                raise
            pytest.skip("the interrupt came while PyTorch left its own Python dispatcher")
        timer.join()
        assert not changed.now()
        assert differences(before, state()) == {}


def test_an_interrupt_waits_while_it_is_held() -> None:
    done: list[str] = []

    def work() -> None:
        signals()
        done.append("all")

    with pytest.raises(KeyboardInterrupt):
        held(work)
    assert done == ["all"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_programs_own_gets_it() -> None:
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        held(signals)
    finally:
        signal.signal(signal.SIGINT, before)
    assert came == [signal.SIGINT]


def test_another_thread_is_not_held_up() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(held(lambda: 1)))
    thread.start()
    thread.join()
    assert found == [1]


def test_what_a_step_raises_comes_after_all_steps() -> None:
    undo, done = Undo(), list[str]()

    def fails() -> None:
        raise ValueError("one step")

    undo.add(done.append, "first")
    undo.add(fails)
    undo.add(done.append, "last")
    with pytest.raises(ValueError, match="one step"):
        undo.run()
    assert done == ["last", "first"]


def test_an_interrupted_step_runs_again() -> None:
    undo, done = Undo(), list[str]()

    def once() -> None:
        done.append("tried")
        if len(done) == 1:
            raise KeyboardInterrupt

    undo.add(once)
    with pytest.raises(KeyboardInterrupt):
        undo.run()
    assert done == ["tried", "tried"]


def test_an_attribute_that_was_inherited_is_inherited_again() -> None:
    class Above:
        value = 1

    class Below(Above):
        pass

    with Changes(lambda undo: undo.replace(Below, "value", 2)):
        assert Below.value == 2
    assert "value" not in vars(Below)
    assert Below.value == 1


def test_a_block_that_begins_interrupted_is_left() -> None:
    done: list[str] = []

    @whole
    def changed() -> Iterator[None]:
        signals()
        done.append("in")
        try:
            yield
        finally:
            done.append("out")

    with pytest.raises(KeyboardInterrupt), changed():
        done.append("body")
    assert done == ["in", "out"]


def test_a_block_whose_end_is_interrupted_before_anything_is_undone_is_left_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not when its last reference goes, which a traceback in a circle may keep for long."""
    done: list[str] = []

    @whole
    def changed() -> Iterator[None]:
        yield
        done.append("out")

    def interrupted(work: Callable[..., Any], *args: Any) -> Any:
        monkeypatch.undo()
        raise KeyboardInterrupt

    block = changed()
    with pytest.raises(KeyboardInterrupt), block:
        monkeypatch.setattr(undoing, "held", interrupted)
    assert done == ["out"]
    del block
    assert done == ["out"]

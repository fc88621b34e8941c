"""Lesson 8: measuring honestly. Nothing here depends on how fast a machine is."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import need, need_function, need_number
from dynamo_lab.course.comparing import in_any_order
from dynamo_lab.course.exercises import Exercise, NotYet
from dynamo_lab.measure.statistics import ratio
from dynamo_lab.model.benchmarks import Limits, Work

if TYPE_CHECKING:
    from collections.abc import Sequence

_REPORTS = {
    "A": "A believes that a call that returned is done: on a GPU it has only begun.",
    "B": "",
    "C": "C times other numbers: what computes something else is not a faster way of doing it.",
    "D": "D's ways did not take turns: whatever slows the machine down meets the second alone.",
    "E": "E's interval holds 1: the two are not distinguishable, and that is no win.",
    "F": "",
}
"""What is wrong with each report, empty for those that can be believed."""


def _believed(answer: Any) -> str:
    is_letters = isinstance(answer, set | frozenset | list | tuple | str)
    need(is_letters, "A set of letters is needed.")
    given = {str(letter).strip().upper() for letter in answer}
    need(given, "Two of them can be believed.")
    need(given <= _REPORTS.keys(), f"The reports are {', '.join(_REPORTS)}.")
    for letter in sorted(given):
        need(not _REPORTS[letter], _REPORTS[letter])
    honest = {letter for letter, wrong in _REPORTS.items() if not wrong}
    need(
        given == honest,
        "These can be believed, but there is another. A result need not be a success: what "
        "matters is that the ways took turns, that outputs were compared, and the interval.",
    )
    return "An interval away from 1, in turns, of the same numbers: for better or for worse."


@dataclass
class _Machine:
    """A machine that pretends: time passes only while something is called or waited for.

    A call keeps the caller for `launch` seconds and is done `work` seconds after what came before
    it; the first compiles, and the calls `interrupted` take long. The clock has steps of `tick`.
    """

    work: float
    launch: float = 0.0
    tick: float = 0.0
    interrupted: range = field(default_factory=lambda: range(23, 27))
    now: float = 100.0
    done: float = 0.0
    calls: int = 0

    def call(self) -> None:
        if not self.calls:
            self.now += 8.0  # compiling
        took = self.work + (2.0 if self.calls in self.interrupted else 0.0)
        self.done = max(self.done, self.now) + took
        self.now = self.now + self.launch if self.launch else self.done
        self.calls += 1

    def wait(self) -> None:
        self.now = max(self.now, self.done)

    def clock(self) -> float:
        return self.now // self.tick * self.tick if self.tick else self.now


def _stopwatch(answer: Any) -> str:
    need_function(answer)
    speed = random.uniform(0.8, 1.25)  # so that nobody knows the times
    machines = [
        ("a plain one", _Machine(work=0.003 * speed)),
        ("a GPU", _Machine(work=0.002 * speed, launch=0.00001)),
        ("one whose clock has coarse steps", _Machine(work=0.00004 * speed, tick=0.001)),
    ]
    times = in_any_order(lambda m: answer(m[1].call, m[1].wait, m[1].clock), machines)
    for (name, machine), time in zip(machines, times, strict=True):
        said = need_number(time)
        need(machine.calls, "It calls nothing at all.")
        if abs(said - machine.work) > 0.1 * machine.work:
            verdict = f"On {name} it says {said:.3g} s, and a call takes {machine.work:.3g} s."
            raise NotYet(f"{verdict} {_why_off(said, machine)}")
    return "Warm, waited for, repeated, and the median of several rounds."


def _why_off(said: float, machine: _Machine) -> str:
    if machine.calls == 1 or (said > 8.0 / machine.calls > machine.work and machine.calls < 23):
        return "The first call compiles: it has to be made before the clock starts."
    if said < machine.work / 2 and machine.launch:
        return "It did not wait until the work was done, and timed how it was started."
    if said < machine.work * 2 and machine.tick:
        return "A call is shorter than a step of the clock: time many calls at once."
    if machine.tick and machine.calls < 23:
        return "A step of the clock is longer than a call: time many calls at once."
    return "Something that happened once weighs in: the mean takes it in, a median of rounds not."


def _rounds(base: float, factor: float, noise: float, shocks: dict[int, float]) -> list[float]:
    """25 rounds of a drifting machine: `noise` alternates, and `shocks` are added to rounds."""
    drift = [1.0 + 0.1 * number for number in range(25)]
    wobble = [1.0 + noise * (-1) ** (number * 7 % 5) for number in range(25)]
    return [
        base * factor * slow * wobbly + shocks.get(number, 0.0)
        for number, (slow, wobbly) in enumerate(zip(drift, wobble, strict=True))
    ]


_CASES = (
    ("b is a tenth faster in each round", 0.9, 0.01, {}),
    ("b is a twentieth slower in each round", 1.05, 0.01, {}),
    ("the two are the same, with noise", 1.0, 0.04, {}),
    ("the two are the same, and a was interrupted twice", 1.0, 0.03, {4: 9.0, 5: 6.0}),
    ("b is a tenth slower in each round, and a was interrupted twice", 1.1, 0.01, {4: 9.0, 5: 6.0}),
)
"""What is the case: the factor of b, the noise, and what was added to rounds of a."""


def _verdict(answer: Any) -> str:
    need_function(answer)
    pairs = [
        (_rounds(1.0, 1.0, 0.0, shocks), _rounds(1.0, factor, noise, {}))
        for _, factor, noise, shocks in _CASES
    ]
    verdicts = in_any_order(lambda pair: answer(*map(list, pair)), pairs)
    for (reason, *_), (a, b), said in zip(_CASES, pairs, verdicts, strict=True):
        right = _comparison(a, b)
        need(
            said in ("faster", "slower", "not distinguishable"),
            f"It says {said!r:.60}: say faster, slower, or not distinguishable.",
        )
        need(
            said == right,
            f"It says {said!r} where it is {right!r}: {reason}. {_REMEDIES[right]}",
        )
    return "Round by round: drift meets both, and an interruption is one round of many."


_REMEDIES = {
    "faster": "While the machine drifts, only the times of one round can be compared.",
    "slower": "An interruption is one round: count rounds, and do not add their times up.",
    "not distinguishable": "Some difference there always is: how many rounds agree on its sign?",
}


def _comparison(a: Sequence[float], b: Sequence[float]) -> str:
    """The verdict on b, as `lab.bench` gives it."""
    found = ratio(a, b)
    if not found.differs:
        return "not distinguishable"
    return "faster" if found.value > 1 else "slower"


_LIMITS = Limits(device="a machine", bandwidth=1e11, flops={"float32": 1e12, "float64": 5e11})

_WORKS = (
    Work(bytes_read=4_000_000, bytes_written=4_000_000, flops=3_000_000, dtype="float32"),
    Work(bytes_read=8_000_000, bytes_written=4_000_000, flops=2_000_000_000, dtype="float32"),
    Work(bytes_read=8_000_000, bytes_written=4_000_000, flops=90_000_000, dtype="float64"),
    Work(bytes_read=1_000_000, bytes_written=1_000, flops=100_000_000, dtype="float64"),
)


def _least(answer: Any) -> str:
    need_function(answer)
    for work in _WORKS:
        memory = (work.bytes_read + work.bytes_written) / _LIMITS.bandwidth
        arithmetic = work.flops / _LIMITS.flops[work.dtype]
        given = answer(work, _LIMITS)
        is_pair = isinstance(given, tuple | list) and len(given) == 2
        need(is_pair, "Two things are needed: seconds, and what binds.")
        task = f"For {work.bytes_read + work.bytes_written:,} bytes and {work.flops:,} operations"
        seconds = need_number(given[0])
        need(
            abs(seconds - max(memory, arithmetic)) <= 1e-6 * max(memory, arithmetic),
            f"{task} in {work.dtype} it gives {seconds:.3g} s. Reading and writing takes "
            f"{memory:.3g} s and computing {arithmetic:.3g} s, and both go on at the same time.",
        )
        binds = "memory" if memory > arithmetic else "arithmetic"
        need(given[1] == binds, f"{task} it says {given[1]!r:.40}, and what takes longer binds.")
    return "The longer of the two: while one waits for memory, arithmetic costs nothing."


EXERCISES = (
    Exercise(
        "8.1",
        "Whom do you believe?",
        _believed,
        (
            "Ask of each: did the ways take turns, was it waited for, are the numbers the same, "
            "and does the interval hold 1?",
            "Two can be believed. One of them has bad news.",
        ),
    ),
    Exercise(
        "8.2",
        "A better stopwatch",
        _stopwatch,
        (
            "Four things go wrong: the first call, a call that is not done, a clock with steps, "
            "and an interruption.",
            "Call once and wait. Then make several rounds, each of many calls and one wait, "
            "divided by the calls; and take the median of the rounds.",
        ),
    ),
    Exercise(
        "8.3",
        "Different, or not",
        _verdict,
        (
            "The two times of a round belong together: `zip(a, b)`.",
            "Count the rounds in which b was faster. Of two that are alike it is about half.",
        ),
    ),
    Exercise(
        "8.4",
        "The least that it takes",
        _least,
        (
            "Bytes are read and written, at the bandwidth; operations have a limit for each type.",
            "Memory and arithmetic are at work at the same time: the slower one decides.",
        ),
    ),
)

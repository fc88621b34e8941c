"""How much of a corpus is captured: what is asked of a program, its process, and the table."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import Counter
from threading import Event
from typing import Any

import pytest
import torch

from dynamo_lab.errors import SuiteError
from dynamo_lab.suite.captures import facts, judge, run
from dynamo_lab.suite.captures.facts import Captured, Outcome
from dynamo_lab.suite.captures.page import page
from dynamo_lab.suite.captures.table import build
from dynamo_lab.suite.captures.text import cells, fact_line, table_text
from dynamo_lab.suite.corpus import corpus, of_operators
from dynamo_lab.suite.corpus.program import Entry, Program
from dynamo_lab.suite.lines import append_line
from dynamo_lab.suite.supervisor import Limits

WHOLE = Outcome("whole")
HOSTILE = "<script>alert(1)</script>"


def captured(name: str, dynamo: Outcome = WHOLE, **changes: Any) -> Captured:
    outcomes: Any = {"eager": WHOLE, "dynamo": dynamo, "script": WHOLE, "export": WHOLE}
    return Captured(
        **{"program": f"made:{name}", "family": "made", "outcomes": outcomes, **changes}
    )


FACTS = (
    captured("a"),
    captured("b", Outcome("breaks", HOSTILE), breaks={HOSTILE: 2, "other": 1}),
    captured("c", Outcome("nothing"), breaks={"other": 1}),
    captured("d", Outcome("timed out", "more than 1 s")),
    captured("e", outcomes={"eager": Outcome("failed", "no such size")}),
)


def test_shares_are_of_the_programs_that_eager_runs() -> None:
    table = build(FACTS)
    assert cells(table.total) == (
        "all", "5", "4", "1 (25 %)", "1 (25 %)", "1 (25 %)", "1 (25 %)", "4 (100 %)", "4 (100 %)"
    )  # fmt: skip
    assert [(kind.name, kind.programs, kind.times) for kind in table.kinds] == [
        ("other", 2, 2),
        (HOSTILE, 1, 2),
    ]
    assert [one.program for one in table.problems] == ["made:b", "made:c", "made:d", "made:e"]
    assert cells(build(FACTS[4:]).total)[3:] == ("-",) * 6


def test_a_long_kind_of_break_leaves_its_count_in_its_place() -> None:
    name = "a kind of break whose name goes on for longer than a line of the terminal has room " * 2
    printed = table_text(build((captured("b", Outcome("breaks"), breaks={name: 2}),)), 100)
    rows = printed.partition("Kinds of breaks")[2].splitlines()
    assert rows[1].startswith("1  a kind of break")


def test_it_prints_and_is_a_page_in_which_text_is_text() -> None:
    table = build(FACTS)
    printed = table_text(table, 160)
    assert "1 (25 %)" in printed
    assert "made:d: timed out: more than 1 s" in printed
    assert "<script>" not in page(table)
    assert "&lt;script&gt;" in page(table)
    assert fact_line(FACTS[4], 5, 5) == "[5/5] made:e: eager failed (0 s)"


def test_a_part_of_the_corpus_says_that_it_is_one() -> None:
    known = [captured(name, of=40, seed=3) for name in "abc"]
    table = build([*known, captured("d", Outcome("nothing"), of=40, seed=3)])
    assert cells(table.total)[1] == "4 of 40"
    printed = table_text(table, 300)
    assert "a random sample (seed 3) of 40 programs" not in printed  # of no release
    known = [captured(name, of=40, seed=3, software="torch 2.13.0") for name in "abc"]
    assert "a random sample (seed 3) of 40 programs" in table_text(build(known), 300)
    assert "whole by Dynamo: 44 to 100 % of them all" in table_text(build(known), 300)
    mixed = [*known, captured("d", of=40, software="torch 2.13.0")]
    assert "4 of 40 programs so far" in table_text(build(mixed), 300)
    assert "sample" not in table_text(build(mixed), 300)
    whole = [captured("a", of=1, software="torch 2.13.0")]
    assert "of 1" not in table_text(build(whole), 300)


def test_a_sample_is_the_same_for_a_seed_and_has_some_of_each_family() -> None:
    names = [f"large:{at}" for at in range(90)] + [f"small:{at}" for at in range(10)] + ["one:0"]
    drawn = corpus.sampled(names, 20, 0)
    assert drawn == corpus.sampled(names, 20, 0) != corpus.sampled(names, 20, 1)
    assert Counter(map(corpus.family_of, drawn)) == {"large": 18, "small": 2, "one": 1}
    assert len(set(drawn)) == len(drawn)
    assert set(corpus.sampled(names[:3], 20, 0)) == set(names[:3])


def test_a_run_goes_on_from_its_file(tmp_path: Any) -> None:
    path = tmp_path / "captures.jsonl"
    assert facts.read(path, must_exist=False) == ()
    with pytest.raises(SuiteError, match="no file"):
        facts.read(path)
    append_line(path, FACTS[0])
    with path.open("ab") as file:
        file.write(b'{"program": "cut sh')
    append_line(path, FACTS[1])
    assert facts.read(path) == FACTS[:2]
    assert facts.still_to_do(["made:a", "made:c"], FACTS[:2]) == ["made:c"]


needs_fork = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no fork here"
)


def _slow(name: str, line: Any) -> None:
    line.send(judge.Told("eager", WHOLE))
    line.send(judge.Begun("dynamo"))
    time.sleep(60)


def _dies(name: str, line: Any) -> None:
    line.send(judge.Begun("eager"))
    os._exit(3)


def _grows(name: str, line: Any) -> None:
    held = bytearray(300 << 20)
    time.sleep(60)
    del held


@needs_fork
@pytest.mark.parametrize(
    ("ends", "limits", "outcomes"),
    [
        (_slow, Limits(seconds=2.0), {"eager": "whole", "dynamo": "timed out"}),
        (_dies, Limits(), {"eager": "crashed"}),
        (_grows, Limits(memory=1 << 20), {"eager": "out of memory"}),
    ],
)
def test_whatever_ends_a_process_is_the_outcome_of_the_way_it_was_at(
    ends: Any, limits: Limits, outcomes: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_judge", ends)
    found = run.examine("made:x", limits, multiprocessing.get_context("fork"), Event())
    assert {way: one.verdict for way, one in found.outcomes.items()} == outcomes


@needs_fork
def test_a_run_that_is_stopped_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_judge", _slow)
    stopped = Event()
    stopped.set()
    found = run.examine("made:x", Limits(), multiprocessing.get_context("fork"), stopped)
    assert found.outcomes == {}


def test_the_call_of_an_operator_is_text_that_torchscript_reads() -> None:
    tensors: list[Any] = []
    written = [
        of_operators._written(value, tensors)
        for value in (torch.ones(2), [torch.ones(2)], (1, 2.0), float("inf"), torch.float32, None)
    ]
    assert written == ["x0", "x1", "[1, 2.0]", 'float("inf")', "torch.float32", "None"]
    assert of_operators._written(torch.Generator(), tensors) is None
    function = of_operators._function("add", "torch.add(x0, x1[0], alpha=2)", tensors)
    assert torch.jit.script(function)(*tensors).tolist() == [3.0, 3.0]
    assert of_operators._callee("nn.functional.relu") == "torch.nn.functional.relu({})"
    assert of_operators._callee("fill_diagonal_") == "x0.fill_diagonal_({})"
    assert of_operators._callee("_refs.add") == ""


def test_what_is_not_on_the_list_is_refused() -> None:
    with pytest.raises(SuiteError, match="no family 'made'"):
        corpus.chosen("made")


class _Line:
    def __init__(self) -> None:
        self.told: dict[str, Any] = {}

    def send(self, message: Any) -> None:
        if isinstance(message, judge.Told):
            self.told[message.way] = message


def broken(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        x = x + 1
    return x.cos()


def refused(x: torch.Tensor) -> torch.Tensor:
    raise ValueError("not with this")


@pytest.mark.live
def test_a_program_is_tried_in_each_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "_silence", lambda: None)
    monkeypatch.setattr(torch, "set_num_threads", lambda count: None)
    programs = {
        "linear": Program(torch.nn.Linear(2, 2), (torch.ones(1, 2),)),
        "broken": Program(broken, (torch.ones(2),)),
        "refused": Program(refused, (torch.ones(2),)),
    }
    monkeypatch.setattr(judge, "program_of", lambda name: Entry(name, lambda: programs[name]))
    found: dict[str, dict[str, Any]] = {}
    for name in programs:
        line = _Line()
        judge.judge(name, line)  # pyright: ignore[reportArgumentType]
        found[name] = line.told
    verdicts = {
        name: {way: one.outcome.verdict for way, one in told.items()}
        for name, told in found.items()
    }
    whole = dict.fromkeys(("eager", "dynamo", "script", "export"), "whole")
    assert verdicts["linear"] == whole
    assert verdicts["broken"] == {**whole, "dynamo": "breaks", "export": "failed"}
    assert verdicts["refused"] == {"eager": "failed"}
    assert found["broken"]["dynamo"].graphs == 2
    assert found["broken"]["dynamo"].breaks == {"Data-dependent branching": 1}

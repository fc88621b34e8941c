from __future__ import annotations

import math
import random

import pytest
from msgspec.structs import replace

from dynamo_lab.errors import SuiteError
from dynamo_lab.suite.compare import compare
from dynamo_lab.suite.page import page
from dynamo_lab.suite.table import build, geometric_mean
from dynamo_lab.suite.text import comparison_text, result_line, table_text
from tests.suite.samples import MACHINE, result


def test_the_mean_is_geometric_and_its_interval_narrows_with_models() -> None:
    mean = geometric_mean([0.5, 2.0])
    assert mean is not None
    assert mean.value == pytest.approx(1.0)
    assert (mean.low, mean.high) == pytest.approx((0.5, 2.0))
    widths: list[float] = []
    for count in (10, 90):
        dice = random.Random(3)
        found = geometric_mean([math.exp(dice.gauss(0.3, 0.2)) for _ in range(count)])
        assert found is not None
        assert found.low < math.exp(0.3) < found.high
        widths.append(found.high / found.low)
    assert widths[1] < widths[0]
    assert geometric_mean([]) is None


def test_only_what_passed_counts_for_speed_and_only_what_could_run_for_the_rate() -> None:
    wrong = replace(result("b", 9.0), verdict="wrong")
    missing = (result("d", verdict="not installed"), result("e", verdict="eager error"))
    table = build([result("a", 2.0), wrong, result("c"), *missing])
    (column,) = table.columns
    assert (column.passed, column.attempted) == (1, 3)
    assert column.rate == pytest.approx(1 / 3)
    assert column.speed is not None
    assert (column.speed.value, column.speed.count) == (pytest.approx(2.0), 1)
    assert column.verdicts == {
        "pass": 1, "wrong": 1, "crashed": 1, "not installed": 1, "eager error": 1,
    }  # fmt: skip


def test_faster_and_slower_are_told_from_alike() -> None:
    (column,) = build([result("a", 1.5), result("b", 0.7), result("c", 1.0)]).columns
    assert (column.faster, column.slower) == (1, 1)


def test_memory_and_compile_time_are_of_what_passed() -> None:
    of = {"eager_peak": 300, "compiled_peak": 100}
    (column,) = build([result("a", 1.5, **of), result("b", breaks=7)]).columns
    assert column.peak is not None
    assert column.peak.value == pytest.approx(3.0)
    assert column.compile_seconds == 12.0
    assert (column.breaks, column.with_breaks) == (7, 1)


def test_the_announcement_is_weighed_as_it_was() -> None:
    runs = [
        result("a", speed, task="training", precision=precision)
        for precision, speed in (("float32", 1.21), ("amp", 1.51))
    ]
    table = build(runs)
    assert table.overall == pytest.approx(1.435, abs=0.001)
    assert [column.announced for column in table.columns] == [1.21, 1.51]
    assert build(runs[:1]).overall is None


def test_a_table_reads_well_at_a_hundred_columns() -> None:
    kinds = [(t, p) for t in ("inference", "training") for p in ("float32", "amp")]
    runs = [result(m, 1.37, task=t, precision=p) for m in ("bert", "t5") for t, p in kinds]
    text = table_text(build([*runs, result("xlnet", verdict="timed out", reason="600 s")], 2))
    assert "…" not in text
    assert "training, AMP" in text
    assert "100% of 2" in text
    assert "67% of 3" in text
    assert "xlnet inference float32 timed out: 600 s" in text
    assert "2 damaged lines" in text


def test_hostile_text_stays_text() -> None:
    evil = "</td><script>alert(1)</script>\x1b[31m\u202e"
    found = result(evil, reason=evil, family=evil, machine=replace(MACHINE, processor=evil))
    made = page(build([found]))
    assert "<script" not in made
    assert "&lt;script&gt;" in made
    for text in (table_text(build([found])), result_line(found, 1, 1), made):
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_a_page_has_a_row_a_model() -> None:
    made = page(build([result("bert", 1.5), result("t5", reason="it fell")]))
    assert made.count("<tr>") == (1 + 1) + (1 + 2) + (1 + 1)
    assert "1.50x" in made
    assert "it fell" in made


def test_nothing_run_yet_is_a_table_too() -> None:
    assert "0 models" in table_text(build([]))
    assert "0 models" in page(build([]))


def test_steps_on_several_ranks_are_columns_of_their_own() -> None:
    on_ranks = [result(task=task, speed=2.0, ranks=2) for task in ("fsdp", "ddp")]
    table = build(on_ranks)
    assert [column.title for column in table.columns] == ["DDP, float32", "FSDP2, float32"]
    assert [column.announced for column in table.columns] == [None, None]
    assert table.ranks == 2
    for shown in (table_text(table), page(table)):
        assert "on 2 ranks of one machine" in " ".join(shown.split())
    assert "ranks" not in table_text(build([result(speed=2.0)]))
    with pytest.raises(SuiteError, match="ranks: 1 against 2"):
        compare([result(task="ddp", speed=2.0)], on_ranks)


def test_a_run_against_an_earlier_one() -> None:
    before = [result("a", 1.5), result("b", 1.5), result("c", 1.5), result("d", 1.2), result("x")]
    newer = replace(MACHINE, torch="2.12.0")
    after = [
        result("a", 1.8, machine=newer),
        result("b", 1.51, machine=newer),
        result("c", verdict="wrong", reason="far off", machine=newer),
        result("d", 1.0, machine=newer, breaks=2),
        result("y", machine=newer),
    ]
    found = compare(before, after)
    sections = {title: [case for case, _ in rows] for title, rows in found.sections}
    assert found.cases == 4
    assert sections == {
        "verdict changed": ["c inference float32"],
        "faster": ["a inference float32"],
        "slower": ["d inference float32"],
        "breaks changed": ["d inference float32"],
        "no significant change": ["b inference float32"],
    }
    text = comparison_text(found)
    assert "1.200 times" in text
    assert "pass before, wrong now: far off" in text
    assert "torch 2.12.0" in text


def test_two_runs_of_the_same_are_not_told_apart() -> None:
    dice = random.Random(5)

    def noisy() -> object:
        eager = tuple(1e-3 * dice.gauss(1, 0.02) for _ in range(15))
        return replace(result("a", 1.5), eager=eager)

    for _ in range(50):
        runs = [[noisy()], [noisy()]]
        (section,) = compare(*runs).sections  # pyright: ignore[reportArgumentType]
        assert section[0] == "no significant change"


def test_runs_that_cannot_be_compared_are_refused() -> None:
    other = result("a", 1.0, machine=replace(MACHINE, device="NVIDIA A100"))
    with pytest.raises(SuiteError, match="device: NVIDIA H200 against NVIDIA A100"):
        compare([result("a", 1.0)], [other])
    with pytest.raises(SuiteError, match="no case in common"):
        compare([result("a", 1.0)], [result("b", 1.0)])

"""A search from beginning to end: what it takes, that it can be stopped, and its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from torch.nn import functional

import dynamo_lab as lab
from dynamo_lab.errors import OptionError, TinyError
from dynamo_lab.measure.rounds import Progress, Watch
from dynamo_lab.tiny.plan import problem
from dynamo_lab.tiny.search import searched
from dynamo_lab.tiny.search.options import search_of
from dynamo_lab.tiny.search.planned import planned
from dynamo_lab.tiny.search.searched import Asked
from tests.tiny.models import convolutions, samples

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.tiny.plan import Plan
    from dynamo_lab.tiny.search.space import Choice, Scheme, Space

LIMIT = 5_000
SEARCH: dict[str, Any] = {"ratios": (0.5, 1.0), "population": 4, "generations": 3, "epochs": 2}


def search(path: Path | None = None, watch: Watch | None = None, **options: Any) -> Plan:
    model, sample = convolutions()
    asked = problem(
        *(model, sample, functional.cross_entropy),
        optimizer={"lr": 0.1},
        memory=options.pop("memory", LIMIT),
        channels="first",
        precision="float32",
    )
    given = {**SEARCH, "data": samples(12), "state": path, **options}
    how = search_of("search", given, asked.limit)
    assert how is not None
    return planned(Asked(asked, sample, functional.cross_entropy, how), watch or Watch())


@pytest.fixture(scope="module")
def whole() -> Plan:
    return search()


@pytest.mark.slow
@pytest.mark.live
def test_a_plan_that_was_searched_for_fits_and_trains(whole: Plan) -> None:
    found = whole.search
    assert found is not None
    facts = found.facts
    assert whole.facts.bytes <= LIMIT
    assert facts.bytes is not None
    assert whole.facts.bytes <= facts.bytes <= LIMIT
    assert set(whole.selected) == set(found.update)
    assert facts.generation == facts.generations == 3
    sums = [one.gain for one in facts.finalists]
    assert 1 <= len(sums) <= 4  # no more are kept
    assert sums == sorted(sums, reverse=True)
    (taken,) = [one for one in facts.finalists if one.is_chosen]
    assert taken.measured == max(one.measured for one in facts.finalists)
    assert (taken.gain, taken.bytes) == (facts.gain, facts.bytes)
    chosen = [row for row in facts.contributions if row.is_chosen]
    assert facts.gain == pytest.approx(sum(row.gain or 0 for row in chosen))
    over = [row for row in facts.contributions if row.bytes and row.bytes > LIMIT]
    assert over
    assert all(row.gain is None and not row.is_chosen for row in over)
    alone = next(row for row in facts.contributions if row.parameter == "point.weight")
    model, sample = convolutions()
    update = {"head.*": "all", "point.weight": alone.ratio}
    assert alone.bytes == lab.tiny(model, sample, update=update, memory=None).facts.bytes
    assert whole.step(*sample).isfinite()


@pytest.mark.live
def test_a_search_says_what_it_measured_in_a_terminal_and_a_notebook(whole: Plan) -> None:
    said = str(whole)
    assert whole.search is not None
    page = whole.search._repr_html_()  # pyright: ignore[reportPrivateUsage]
    for words in (
        "on 6 rows (17 points each) that a trained copy did not see",
        "alone over the limit",
        "3 of 3",
    ):
        assert words in " ".join(said.split())
        assert words in page
    assert max(map(len, said.splitlines())) <= 100
    assert "<script" not in page


class Quarrelling:
    """Everything helps alone, and the more it should help together the less it does."""

    measure, baseline = "accuracy", 0.5

    def __init__(self, space: Space) -> None:
        self._space, self.scores = space, dict[str, float]()

    def gain(self, choice: Choice) -> float:
        weights = self._space.weights
        return choice.biases or (weights.index(choice.parameter) + 1) / 8

    def measured(self, scheme: Scheme) -> float:
        return 0.9 - 0.1 * sum(map(self.gain, self._space.chosen(scheme)))


@pytest.mark.live
@pytest.mark.parametrize("finalists", [0, 3])
def test_the_best_of_those_that_were_trained_whole_is_taken(
    finalists: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searched, "_gains", lambda asked, space, scores: Quarrelling(space))
    found = search(ratios=(1.0,), generations=2, population=3, finalists=finalists).search
    assert found is not None
    facts = found.facts
    assert len(facts.finalists) == finalists
    if not finalists:
        assert "sum of gains need not be the gain of all together" in " ".join(str(found).split())
        return
    best = max(facts.finalists, key=lambda one: one.measured)
    assert best.is_chosen
    assert best is not facts.finalists[0]
    assert best.measured == pytest.approx(0.9 - 0.1 * facts.gain)
    said, first = " ".join(str(found).split()), facts.finalists[0]
    assert f"the best has {100 * best.measured:.1f} %" in said
    assert f"the largest sum has {100 * first.measured:.1f} %" in said


@pytest.mark.live
@pytest.mark.release
def test_a_search_that_was_stopped_goes_on_as_one_that_never_was(
    whole: Plan, tmp_path: Path
) -> None:
    """Interrupted as it measures, and again between two generations."""
    path, seen = tmp_path / "search.json", list[str]()

    def interrupted_at(what: str) -> Watch:
        def tell(progress: Progress) -> None:
            seen.append(progress.what)
            if progress.what == what:
                raise KeyboardInterrupt

        return Watch(tell)

    early = search(path, interrupted_at("contribution of point.weight 0.5"))
    assert early.search is not None
    assert early.search.facts.stopped
    assert "Stopped after 0 of 3 generations" in str(early)
    assert early.facts.bytes <= LIMIT
    late = search(path, interrupted_at("generation 3"))
    assert late.search is not None
    assert late.search.facts.generation == 2
    done = search(path)
    assert done.search is not None
    assert whole.search is not None
    assert done.search.update == whole.search.update
    assert done.search.facts.contributions == whole.search.facts.contributions
    assert not done.search.facts.stopped
    with pytest.raises(OptionError, match="state of another search"):
        search(path, seed=1)


@pytest.mark.slow
@pytest.mark.live
def test_without_data_the_gain_is_said_to_be_a_proxy() -> None:
    made = search(data=None)
    assert made.search is not None
    assert made.search.facts.measure == "gradient"
    assert "A gain is a proxy, as there was no data" in " ".join(str(made).split())


@pytest.mark.live
def test_a_limit_below_the_classifier_says_the_least() -> None:
    with pytest.raises(TinyError, match="the limit is 2 kB"):
        search(memory=2_000)

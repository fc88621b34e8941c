"""The search for what to update: evolution against all schemes, gains, options and its state."""

from __future__ import annotations

import copy
import itertools
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import dynamo_lab as lab
from dynamo_lab.errors import OptionError
from dynamo_lab.tiny.optimizer import Optimizer
from dynamo_lab.tiny.search.evolution import Evolution
from dynamo_lab.tiny.search.gains import Proxy, Trained
from dynamo_lab.tiny.search.options import Search, search_of
from dynamo_lab.tiny.search.space import Choice, Scheme, Space, space_of
from dynamo_lab.tiny.search.state import State, digest, loaded, save
from tests.tiny.models import Convolutions, convolutions, samples

if TYPE_CHECKING:
    from pathlib import Path


Sample = tuple[torch.Tensor, torch.Tensor]

SPACE = Space(
    classifier=("head.weight",),
    biases=("a.bias", "b.bias", "c.bias"),
    weights=("a.weight", "b.weight", "c.weight"),
    ratios={"a.weight": (0.5, 1.0), "b.weight": (0.25, 0.5, 1.0), "c.weight": (1.0,)},
)
GAINS = dict(zip(SPACE.choices(), (2, 3, 3.5, 4, 5, 1, 2.5, 6, 4.5), strict=True))


def needed(scheme: Scheme) -> int:
    """An early layer costs all later ones their gradients: bytes that do not simply add up."""
    costs = sum(40 * share for share in scheme.shares) + 5 * scheme.biases
    first = next((at for at, share in enumerate(scheme.shares) if share), 3)
    return round(20 + costs + 15 * (3 - first))


def every() -> list[Scheme]:
    shares = ((0.0, *SPACE.ratios[name]) for name in SPACE.weights)
    return [Scheme(k, tuple(s)) for k, s in itertools.product(range(4), itertools.product(*shares))]


@pytest.mark.parametrize("limit", range(25, 185, 10))
def test_the_search_finds_the_best_of_all_schemes_that_fit(limit: int) -> None:
    search = Evolution(SPACE, GAINS, needed, limit, size=8, seed=limit)
    schemes = search.first()
    for generation in range(12):
        schemes = search.next(schemes, generation)
    best = max(search.gain(one) for one in every() if needed(one) <= limit)
    assert all(needed(one) <= limit for one in schemes)
    assert search.gain(schemes[0]) == best


def test_a_greedy_choice_alone_is_not_always_the_best() -> None:
    """So that the test above can tell."""
    limits = range(25, 185, 10)
    firsts = {n: Evolution(SPACE, GAINS, needed, n, size=8, seed=0) for n in limits}
    best = {
        n: max(one.gain(scheme) for scheme in every() if needed(scheme) <= n)
        for n, one in firsts.items()
    }
    assert any(one.gain(one.first()[0]) < best[n] for n, one in firsts.items())


def test_a_seed_gives_the_same_generations_and_bytes_are_asked_for_where_they_count() -> None:
    asked: list[Scheme] = []

    def counted(scheme: Scheme) -> int:
        asked.append(scheme)
        return needed(scheme)

    one, other = (Evolution(SPACE, GAINS, counted, 100, size=4, seed=3) for _ in range(2))
    assert one.next(one.first(), 5) == other.next(other.first(), 5)
    wide = Evolution(SPACE, GAINS, counted, 10_000, size=2, seed=3)
    start = wide.first()
    asked.clear()
    wide.next(start, 0)
    assert len(asked) <= 8  # of two kept schemes, not of all children


def test_what_there_is_to_choose_of_a_model() -> None:
    space = space_of(Convolutions(), (0.125, 0.25, 1.0))
    assert space.classifier == ("head.weight", "head.bias")
    assert space.biases == ("first.bias", "depthwise.bias", "point.bias")
    assert space.weights == ("first.weight", "depthwise.weight", "point.weight")
    assert space.ratios["first.weight"] == (0.25, 1.0)  # of 3 channels 1/8 and 1/4 are one
    assert space.ratios["point.weight"] == (0.125, 0.25, 1.0)
    assert space_of(nn.Sequential(nn.Bilinear(2, 2, 2), nn.Linear(2, 2)), (0.5, 1.0)).ratios == {
        "0.weight": (1.0,)
    }
    scheme = Scheme(2, (0.0, 1.0, 0.25))
    assert space.update(scheme) == {
        **dict.fromkeys(("head.weight", "head.bias", "depthwise.bias", "point.bias"), "all"),
        "depthwise.weight": "all",
        "point.weight": 0.25,
    }
    assert [one.key for one in space.chosen(scheme)] == [
        *("biases 2", "depthwise.weight 1", "point.weight 0.25")
    ]


def trained(data: list[Sample], check: list[Sample], **options: Any) -> Trained:
    model, _ = convolutions()
    how = Search(data=data, check=check, ratios=(0.5, 1.0))
    space = space_of(model, how.ratios)
    optimizer = Optimizer(**{"lr": 0.1, **options})
    return Trained(model, functional.cross_entropy, space, how, optimizer, "first", {})


def test_a_gain_is_the_accuracy_of_a_copy_that_was_trained_with_it() -> None:
    """Held against a training written here: half a weight's channels, on top of all biases."""
    data, check = samples(6), samples(20)[6:]
    gains = trained(data, check, momentum=0.5, weight_decay=0.1)
    found = gains.gain(Choice("point.weight", 0.5))

    def accuracy(with_half: bool) -> float:
        model, _ = convolutions()
        names = ["head.weight", "head.bias", *space_of(model, (1.0,)).biases]
        chosen = [model.get_parameter(name) for name in names]
        weight = model.get_parameter("point.weight")
        sgd = torch.optim.SGD([*chosen, weight], 0.1, momentum=0.5, weight_decay=0.1)
        for share, (x, y) in gains._samples(0):  # pyright: ignore[reportPrivateUsage]
            before = weight.detach().clone()
            sgd.param_groups[0]["lr"] = 0.1 * share
            sgd.zero_grad()
            functional.cross_entropy(model(x), y).backward()
            sgd.step()
            with torch.no_grad():
                weight[:, 4 if with_half else 0 :] = before[:, 4 if with_half else 0 :]
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in check)
        return right / (2 * len(check))

    assert found == pytest.approx(accuracy(True) - accuracy(False))
    assert set(gains.scores) == {"biases 3", "biases 3, point.weight 0.5"}
    assert gains.measure == "accuracy"
    assert gains.baseline is None
    gains.gain(Choice("", biases=1))
    assert gains.baseline == gains.scores["classifier"]


def test_a_measure_is_the_mean_of_trainings_with_the_samples_in_other_orders() -> None:
    data, check = samples(6), samples(20)[6:]
    scheme = Scheme(3, (0.0, 0.0, 1.0))

    def measured(repeats: int) -> tuple[float, list[list[int]]]:
        model, _ = convolutions()
        how = Search(data=data, check=check, repeats=repeats)
        space = space_of(model, how.ratios)
        optimizer = Optimizer(lr=0.1)
        gains = Trained(model, functional.cross_entropy, space, how, optimizer, "first", {})
        orders = [gains._samples(k) for k in range(repeats)]  # pyright: ignore[reportPrivateUsage]
        at = {id(one): number for number, one in enumerate(data)}
        return gains.measured(scheme), [[at[id(one)] for _, one in order] for order in orders]

    (first, [order]), (mean, orders) = measured(1), measured(2)
    assert orders[0] == order != orders[1]
    assert sorted(orders[1]) == sorted(order) == list(range(6))
    second = 2 * mean - first
    assert round(second * 28) == pytest.approx(second * 28)  # of 28 rows
    assert 0 <= second <= 1


def test_what_is_trained_is_a_copy() -> None:
    gains = trained(samples(2), samples(1))
    before = copy.deepcopy(gains._model.state_dict())  # pyright: ignore[reportPrivateUsage]
    gains.gain(Choice("first.weight", 1.0))
    after = gains._model  # pyright: ignore[reportPrivateUsage]
    assert all(torch.equal(after.state_dict()[name], value) for name, value in before.items())
    assert all(one.requires_grad and one.grad is None for one in after.parameters())


def test_without_data_a_gain_is_the_squared_norm_of_the_gradient() -> None:
    model, (x, y) = convolutions()
    space = space_of(model, (0.5, 1.0))
    proxy = Proxy(model, functional.cross_entropy, space, (x, y), "first")
    functional.cross_entropy(model(x), y).backward()
    grads = {name: one.grad for name, one in model.named_parameters() if one.grad is not None}
    half = grads["point.weight"][:, :4].square().sum().item()
    assert proxy.gain(Choice("point.weight", 0.5)) == pytest.approx(half)
    two = sum(grads[name].square().sum().item() for name in ("depthwise.bias", "point.bias"))
    assert proxy.gain(Choice("", biases=2)) == pytest.approx(two)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"steps": 3}, "no setting 'steps'"),
        ({"seed": -1}, "seed=-1 of a search is no whole number from 0"),
        ({"epochs": 0}, "epochs=0 of a search"),
        ({"repeats": 0}, "repeats=0 of a search is no whole number from 1"),
        ({"finalists": -1}, "finalists=-1 of a search is no whole number from 0"),
        ({"ratios": (2,)}, "are no shares"),
        ({"data": samples(1)}, "has 1 of the at least two samples"),
        ({"check": samples(1)}, "no data to train on"),
        (3, "is no mapping"),
    ],
)
def test_settings_that_are_not_understood_are_said(asked: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        search_of("search", asked, 1000)


def test_a_search_without_a_limit_is_refused() -> None:
    with pytest.raises(OptionError, match='give one, as memory="256 kB"'):
        search_of("search", {}, None)
    model, sample = convolutions()
    with pytest.raises(OptionError, match='is for update="search" alone'):
        lab.tiny(model, sample, update="bias", search={"seed": 1})


def test_the_last_quarter_of_the_data_is_what_gains_are_measured_on() -> None:
    given = samples(8)
    how = search_of("search", {"data": given}, 1000)
    assert how is not None
    assert how.data is not None
    assert [len(how.data), len(how.check)] == [6, 2]
    assert how.check[0] is given[6]
    own = search_of("search", {"data": given, "check": given[:1]}, 1000)
    assert own is not None
    assert own.data is not None
    assert [len(own.data), len(own.check)] == [8, 1]


def test_a_state_is_kept_and_that_of_another_search_refused(tmp_path: Path) -> None:
    path = tmp_path / "search.json"
    assert loaded(path, "a") == State(of="a")
    state = State(of="a", scores={"classifier": 0.5}, schemes=[(2, (0.0, 0.5))], generation=3)
    save(state, path)
    assert loaded(path, "a") == state
    with pytest.raises(OptionError, match="is the state of another search"):
        loaded(path, "b")
    path.write_text("{", encoding="utf-8")
    with pytest.raises(OptionError, match="is no state of a search"):
        loaded(path, "a")
    one, other = torch.zeros(2), torch.zeros(2)
    assert digest([1, one]) == digest([1, other])
    other[0] = 1
    assert digest([1, one]) != digest([1, other]) != digest([2, other])

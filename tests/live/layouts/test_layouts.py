"""`lab.layouts` on a small network, against PyTorch's own decision, counters and results."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, get_args

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch._dynamo.utils import counters
from torch._inductor import config
from torch._inductor.graph import GraphLowering
from torch._inductor.pattern_matcher import GraphPatternEntry
from torch.fx.experimental.proxy_tensor import make_fx

import dynamo_lab as lab
from dynamo_lab.capture.layouts.layouts import choice_of, sentences
from dynamo_lab.errors import OptionError
from dynamo_lab.model.layouts.trial import WayName
from dynamo_lab.view import build
from dynamo_lab.view.layouts.reading import concats, convolutions, rewritten

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.api.layouts.layouts import Layouts
    from dynamo_lab.model.layouts.choices import LayoutChoice

pytestmark = pytest.mark.live


class Net(nn.Module):
    """Convolutions, with a norm, a ReLU and a sum that may be fused into them, concatenated."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.left, self.right = nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 8, 1)
        self.head = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        both = torch.cat([self.left(x).relu(), self.right(x) + x], 1)
        return self.head(both.mean((2, 3)))


NET = Net().eval()
X = torch.randn(2, 3, 16, 16)
NAMES: tuple[WayName, ...] = ("eager", "compiled", "frozen", "oneDNN Graph")
COUNTED = {
    "folded": ("binary_folding",),
    "packed": ("mkldnn_conv_weight_pack_matcher_count", "mkldnn_linear_weight_pack_matcher_count"),
    "fused": (
        "mkldnn_unary_fusion_matcher_count",
        "mkldnn_conv_binary_unary_fusion_matcher_count",
    ),
}
"""PyTorch's own counters of what a frozen graph became."""


def left_behind() -> tuple[object, ...]:
    logger = logging.getLogger("torch._inductor.graph")
    return (
        GraphLowering.decide_layout_opt,
        GraphPatternEntry.apply,
        (logger.level, logger.propagate, *logger.handlers, *logger.filters),
        torch.get_num_threads(),
        torch.jit.onednn_fusion_enabled(),
        config.freezing,
        {parameter.is_contiguous() for parameter in NET.parameters()},
    )


@pytest.fixture(scope="module")
def found() -> tuple[Layouts, dict[str, int]]:
    counters.clear()
    before = left_behind()
    made = lab.layouts(NET, X, ways=NAMES, rounds=2, seconds=0.01)
    # each once: what is compiled again when it is timed is not what was recorded
    assert counters["stats"]["unique_graphs"] == len(made.recordings)
    assert left_behind() == before
    return made, dict(counters["inductor"])


@pytest.mark.slow
def test_each_way_is_had_timed_and_right(found: tuple[Layouts, dict[str, int]]) -> None:
    ways = found[0].trial.ways
    assert [(one.name, one.problem) for one in ways] == [(name, "") for name in NAMES]
    assert all(len(one.seconds) >= 2 and (one.difference or 0) < 1e-4 for one in ways)


def test_channels_last_is_chosen_and_seen(found: tuple[Layouts, dict[str, int]]) -> None:
    made = found[0]
    (choice,) = made.recordings["compiled"].layout_choices
    assert (choice.chosen, choice.rule, choice.convolutions) == (True, "oneDNN", 3)
    assert {one.order for one in convolutions(made.recordings["compiled"])} == {"channels last"}
    given = [one.given for one in convolutions(made.recordings["compiled"])]
    assert given == ["contiguous", "channels last", "channels last"]  # in memory, not as in eager
    (listed,) = (row for row in build(made.recordings["compiled"]).choices if row.kind == "layout")
    assert listed.choice == "Channels last is chosen for 3 convolutions"
    assert listed.effect.startswith("3 results in channels last. Each call copies ")
    row = made.view.ways[1]
    assert {one.told for one in row.convolutions} == {""}
    # the weight of a convolution is brought into the layout in each call, unless it is frozen
    first = [next(convolutions(made.recordings[name])) for name in ("compiled", "frozen")]
    assert [one.copied for one in first] == [(X.numel() + 8 * 3 * 9) * 4, X.numel() * 4]


def test_what_freezing_does_is_what_pytorch_counts(
    found: tuple[Layouts, dict[str, int]],
) -> None:
    made, counted = found
    done = rewritten(made.recordings["frozen"])
    for name, keys in COUNTED.items():
        assert len(getattr(done, name)) == sum(counted.get(key, 0) for key in keys), name
    assert ("convolution_pointwise", "relu") in done.fused
    assert not any(rewritten(made.recordings["compiled"]))
    assert any("oneDNN's kernels hold" in fact for fact in made.view.ways[2].facts)


def test_a_concatenation_is_named(found: tuple[Layouts, dict[str, int]]) -> None:
    made = found[0]
    (plain,), (frozen,) = (list(concats(made.recordings[n])) for n in ("compiled", "frozen"))
    assert (plain.form, plain.parts, plain.copied) == ("ConcatKernel", 2, 0)
    # there both parts are results of oneDNN's kernels, which do not write into another buffer
    assert (frozen.form, frozen.parts, frozen.copied) == ("ConcatKernel", 2, 2)


def test_onednn_graph_names_what_it_joined(found: tuple[Layouts, dict[str, int]]) -> None:
    groups = found[0].trial.ways[-1].groups or ()
    assert ("convolution", "relu") in groups
    assert "TorchScript with oneDNN Graph" in str(found[0])


@pytest.mark.long
def test_all_ways() -> None:
    made = lab.layouts(NET, X, rounds=2, seconds=0.01)
    ways = {one.name: one for one in made.trial.ways}
    threads = {"one thread"} if torch.get_num_threads() == 1 else set[str]()
    assert set(ways) == set(get_args(WayName)) - threads
    assert {one.problem for one in ways.values()} == {""}
    assert made.recordings["layout kept"].layout_choices[0].rule == "off"
    assert not rewritten(made.recordings["frozen, unpacked"]).packed
    assert rewritten(made.recordings["frozen, unpacked"]).folded
    (loop,) = concats(made.recordings["concat as loop"])
    assert loop.form == "Pointwise"
    assert next(convolutions(made.recordings["channels last"])).given == "channels last"


def image(channels: int) -> torch.Tensor:
    return torch.randn(2, channels, 8, 8)


def convolved(groups: int, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.conv2d(x, weight, groups=groups)


def decided(
    call: Callable[..., Any], *args: torch.Tensor, is_inference: bool, **settings: bool
) -> LayoutChoice:
    """What PyTorch's own function decides on the graph of a call, heard by ours."""
    graph = make_fx(call, tracing_mode="fake")(*args)
    with config.patch(settings), sentences() as said:
        chosen = GraphLowering.decide_layout_opt(graph, is_inference=is_inference)
        return choice_of(graph, chosen, said, is_inference=is_inference)


@pytest.mark.parametrize("is_inference", [True, False])
def test_a_choice_on_the_cpu_has_its_rule(is_inference: bool) -> None:
    def plain(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return convolved(1, x, weight)

    args = image(8), torch.randn(8, 8, 3, 3)
    assert decided(plain, *args, is_inference=is_inference).rule == "oneDNN"
    assert decided(torch.sin, args[0], is_inference=is_inference).rule == "none"
    off = decided(plain, *args, is_inference=is_inference, layout_optimization=False)
    assert (off.rule, off.chosen) == ("off", False)
    forced = decided(torch.sin, args[0], is_inference=is_inference, force_layout_optimization=True)
    assert (forced.rule, forced.chosen) == ("forced", True)


@pytest.mark.parametrize(
    ("channels", "shape", "groups", "is_inference", "rule", "said"),
    [
        (128, (128, 128, 3, 3), 1, True, "estimate", ""),
        (128, (128, 64, 3, 3), 2, True, "said", "weighted flops"),
        (128, (128, 128, 3, 3), 1, False, "unopposed", ""),
        (128, (128, 64, 3, 3), 2, False, "said", "grouped convolution"),
        (128, (32, 128, 3, 3), 1, False, "said", "smaller out_channel"),
        (8, (8, 8, 3, 3), 1, False, "said", "too small"),
    ],
)
def test_a_choice_without_onednn_has_pytorch_s_words(
    channels: int,
    shape: tuple[int, ...],
    groups: int,
    is_inference: bool,
    rule: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on a GPU: the rules are the same where oneDNN is not there."""
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)

    def call(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return convolved(groups, x, weight)

    choice = decided(call, image(channels), torch.randn(shape), is_inference=is_inference)
    assert choice.rule == rule
    assert choice.chosen == (rule != "said")
    assert said in choice.said


def test_a_rule_that_does_not_give_the_result_is_not_claimed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(GraphLowering, "decide_layout_opt", staticmethod(lambda *_, **__: True))
    assert decided(torch.sin, image(8), is_inference=True).rule == "unknown"


def test_bad_input_gets_a_sentence() -> None:
    with pytest.raises(OptionError, match=r"call model.eval\(\) first"):
        lab.layouts(Net(), X)
    with pytest.raises(OptionError, match="There is no way 'ice'"):
        lab.layouts(NET, X, ways=["ice"])
    with pytest.raises(OptionError, match="is compiled already"):
        lab.layouts(torch.compile(NET), X)  # pyright: ignore[reportArgumentType]
    with pytest.raises(OptionError, match=r"pass a torch.nn.Module"):
        lab.layouts(torch.sin, X)  # pyright: ignore[reportArgumentType]

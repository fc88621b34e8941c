"""A view's question to a living program of the backend lab: tried, taken or refused, undone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.api.handle import answer
from dynamo_lab.compiler.rules import RULES
from dynamo_lab.model.core import codec
from dynamo_lab.view import build

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording
    from dynamo_lab.view.compiler.compiler import StageGraph

pytestmark = pytest.mark.live


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.tanh(x)
    return y.softmax(-1)


@pytest.fixture(scope="module")
def recording() -> Recording:
    return lab.explore(f, torch.randn(33, 7), backend="lab")


@pytest.fixture(scope="module")
def graph(recording: Recording) -> StageGraph:
    (found,) = build(recording).compiler.graphs
    return found


def node(graph: StageGraph, name: str) -> int:
    return next(one.node for one in graph.operators if one.name == name)


def change(recording: Recording, graph: StageGraph, **asked: Any) -> dict[str, Any]:
    found = answer(recording, "recompile", {"graph": graph.graph, "change": asked})
    return found["answer"]


def test_the_stages_of_an_operator_are_recorded(recording: Recording, graph: StageGraph) -> None:
    assert not recording.notes
    tanh = next(one for one in graph.operators if one.name == "tanh")
    assert tanh.line == "y = torch.tanh(x)"
    rule = graph.rules[tanh.rule]
    assert rule.place.startswith("dynamo_lab/compiler/rules/pointwise.py:")
    assert "name = 'tanh'" in rule.text
    (kernel,) = (graph.kernels[at] for at in tanh.kernels)
    assert [one.language for one in kernel.texts] == ["c", "triton", "metal"]
    for one in kernel.texts:
        mine = [text for text, nodes in one.lines if tanh.node in nodes]
        assert any("tanh" in text for text in mine), one.language
    assert any("tanh" in text for text, nodes in kernel.lines if tanh.node in nodes)
    (loop,) = (graph.loops[at] for at in tanh.loops[:1])
    assert loop.head == "buf0: for i0 < 33, for i1 < 7"


def test_a_rule_is_changed_refused_and_undone(recording: Recording, graph: StageGraph) -> None:
    before, at = dict(RULES), node(graph, "tanh")
    right = "def mine(call, x):\n    return pointwise(call, [x], lambda v: {})"
    good = "2.0 / (1.0 + apply('exp', v * -2.0)) - 1.0"
    wrong = change(recording, graph, what="rule", node=at, text=right.format("v * 0.5"))
    assert wrong["verdict"] == "refused"
    assert "that of tanh (aten.tanh.default)" in wrong["sentence"]
    taken = change(recording, graph, what="rule", node=at, text=right.format(good))
    assert taken["verdict"] == "right"
    assert list(taken["changes"]) == ["rule of aten.tanh.default"]
    assert "expf(" in "".join(line for line, _ in taken["graph"]["kernels"][0]["texts"][0]["lines"])
    assert taken["graph"]["rules"][taken["graph"]["operators"][0]["rule"]]["text"].startswith("def")
    undone = change(recording, graph, what="undo")
    assert undone["verdict"] == "undone"
    assert not undone["changes"]
    assert change(recording, graph, what="undo")["verdict"] == "refused"
    assert before == RULES


def test_a_text_is_changed_by_the_name_that_is_shown(
    recording: Recording, graph: StageGraph
) -> None:
    text = "\n".join(line for line, _ in graph.kernels[0].texts[0].lines)
    assert "void kernel0(" in text
    taken = change(recording, graph, what="text", kernel="kernel0", text=f"{text}\n// mine")
    assert taken["verdict"] == "right"
    assert taken["texts"][0]["after"].endswith("// mine\n")
    change(recording, graph, what="undo")
    broken = change(recording, graph, what="text", kernel="kernel0", text=text.replace("for", "fo"))
    refused = re.fullmatch(
        r"The C compiler refused the kernel of .+ in line \d+ of its text: .+",
        broken["sentence"],
        re.DOTALL,
    )
    assert refused, broken["sentence"]
    crash = f"{text.rstrip()[:-1]}  *(volatile int*)8 = 1;\n}}"
    crashed = change(recording, graph, what="text", kernel="kernel0", text=crash)
    assert "It crashed (SIGSEGV)" in crashed["sentence"] or not crashed["changes"]


def test_pairs_are_split_and_fused_and_loops_are_told(
    recording: Recording, graph: StageGraph
) -> None:
    def groups(told: dict[str, Any]) -> list[tuple[str, ...]]:
        return [tuple(kernel["buffers"]) for kernel in told["graph"]["kernels"]]

    def sentences(told: dict[str, Any]) -> list[str]:
        return [one["why"] for ruling in told["schedule"]["rulings"] for one in ruling["why"]]

    whole = ("buf0", "buf1", "buf2", "buf3", "buf4")
    split = change(recording, graph, what="apart", first=["buf0"], second=["buf1", "buf2"])
    assert split["verdict"] == "right"
    assert groups(split) == [whole[:1], whole[1:]]
    assert "Refused, as buf0 and buf1 are kept apart by the reader." in sentences(split)
    loops = {"order": ["i0", "r0"], "tile": {}, "unroll": {"r0": 4}}
    tuned = change(recording, graph, what="loops", kernel="kernel1", plan=loops)
    assert tuned["verdict"] == "right"
    assert "UNROLL(4)" in tuned["texts"][0]["after"]
    kernel = tuned["graph"]["kernels"][1]
    assert kernel["is_tuned"]
    assert [(one["name"], one["unroll"]) for one in kernel["turns"]] == [("i0", 0), ("r0", 4)]
    joined = change(recording, graph, what="fuse", first=["buf0"], second=["buf1", "buf2"])
    assert groups(joined) == [whole]
    assert not joined["graph"]["kernels"][0]["is_tuned"]  # another kernel, with loops of its own
    undone = change(recording, graph, what="undo")
    assert undone["graph"]["kernels"][1]["is_tuned"]
    plain = change(recording, graph, what="loops", kernel="kernel1", plan=None)
    assert not plain["graph"]["kernels"][1]["is_tuned"]
    wrong = change(
        recording, graph, what="loops", kernel="kernel1", plan=loops | {"order": ["r0", "i0"]}
    )
    assert wrong["verdict"] == "refused"
    assert wrong["sentence"].startswith("The order of kernel1's loops has to name each of i0")
    for _ in range(3):
        change(recording, graph, what="undo")


def shifted(x: torch.Tensor) -> torch.Tensor:
    y = x.exp()
    return torch.cat([y[1:], y[:1]]) * y.flip(0)


def test_an_illegal_fusion_is_refused_by_its_numbers() -> None:
    recording = lab.explore(shifted, torch.randn(40), backend="lab")
    (graph,) = build(recording).compiler.graphs
    forced = change(recording, graph, what="fuse", first=["buf0"], second=["buf1"])
    assert forced["verdict"] == "refused"
    assert "was forced into one kernel although buf1 reads buf0 at" in forced["sentence"]


def test_nothing_is_evaluated_for_a_file_or_where_it_is_turned_off(
    recording: Recording, graph: StageGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"graph": graph.graph, "change": {"what": "rule", "node": 1, "text": "1 / 0"}}
    loaded = codec.decode(codec.encode(recording))
    assert "There is no program to change" in answer(loaded, "recompile", asked)["error"]
    monkeypatch.setenv("DYNAMO_LAB_EVALUATE", "off")
    assert "evaluate and run nothing" in answer(recording, "recompile", asked)["error"]

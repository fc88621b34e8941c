from __future__ import annotations

import importlib.util
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import torch

from dynamo_lab.suite import worker
from dynamo_lab.suite.jobs import Done, Events, Job
from dynamo_lab.suite.models import of_torch
from dynamo_lab.suite.models.models import chosen, models
from dynamo_lab.suite.results import Case

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [model.name for model in of_torch.MODELS]


def test_the_list_is_long_and_names_are_unique() -> None:
    families = [model.family for model in models().values()]
    assert {name: families.count(name) for name in set(families)} == {
        "torch": 16, "transformers": 50, "timm": 28,
    }  # fmt: skip


def test_models_are_chosen_by_name_and_family() -> None:
    assert [model.name for model in chosen("mlp, unet,mlp")] == ["mlp", "unet"]
    assert {model.family for model in chosen("timm")} == {"timm"}
    assert len(chosen("")) == len(models())


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("resnet50_plain", 25_557_032), ("vgg16_plain", 138_357_544), ("bert_plain", 109_514_298)],
)
def test_models_of_papers_have_their_size(name: str, parameters: int) -> None:
    with torch.device("meta"):  # of which nothing is computed
        program = models()[name].build("full")
        scores = program.module(**program.inputs)
    assert sum(one.numel() for one in program.module.parameters()) == parameters
    assert scores.shape[0] == 64


@pytest.mark.parametrize("name", NAMES)
def test_a_model_of_ours_trains(name: str) -> None:
    from dynamo_lab.suite.subject import Subject

    program = models()[name].build("small")
    subject = Subject(program, Case(name, "training", "float32"), "cpu")
    found = subject.values(subject.function)
    parameters = dict(subject.module.named_parameters())
    assert list(found) == ["output 0", *(f"gradient of {name}" for name in parameters)]
    assert all(value.isfinite().all() for value in found.values())
    assert all(parameter.grad is None for parameter in parameters.values())


@pytest.mark.skipif(not importlib.util.find_spec("transformers"), reason="needs transformers")
@pytest.mark.parametrize("name", ["bert", "qwen3", "t5", "clip", "whisper", "wav2vec2"])
def test_a_model_of_transformers_runs_without_dropout(name: str) -> None:
    from dynamo_lab.suite.subject import Subject

    program = models()[name].build("small")
    subject = Subject(program, Case(name, "training", "float32"), "cpu")
    assert torch.equal(*(subject.values(subject.function)["output 0"] for _ in range(2)))


def run_worker(model: str, folder: Path) -> list[Any]:
    events = folder / "events.jsonl"
    cases = tuple(Case(model, "inference", p) for p in ("float32", "amp"))
    worker.run_job(Job(model=model, cases=cases), events)
    return [event.result for event in Events(events).new() if isinstance(event, Done)]


def test_a_missing_package_is_said_for_each_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    found = run_worker("resnet50", tmp_path)
    assert [one.verdict for one in found] == ["not installed"] * 2
    assert found[0].reason == "timm is not installed: pip install timm"
    assert found[0].family == "timm"


def test_a_release_without_the_model_is_as_if_it_were_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(__spec__=object()))
    found = run_worker("bert", tmp_path)
    assert [one.verdict for one in found] == ["not installed"] * 2
    assert "BertConfig" in found[0].reason


def test_models_of_timm_are_made_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def create_model(name: str, pretrained: bool) -> torch.nn.Module:
        assert (name, pretrained) == ("resnet50", False)
        made: Any = torch.nn.Flatten()
        made.default_cfg = {"input_size": (3, 40, 40)}
        return made

    monkeypatch.setitem(sys.modules, "timm", SimpleNamespace(create_model=create_model))
    program = models()["resnet50"].build("full")
    assert program.inputs["x"].shape == (64, 3, 40, 40)

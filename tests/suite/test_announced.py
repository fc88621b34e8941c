"""The models that PyTorch 2.0 was announced with: their names, and where packages have them."""

from __future__ import annotations

import importlib
import importlib.util
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import torch

from dynamo_lab.suite.corpus import corpus
from dynamo_lab.suite.corpus.announced import COUNTED, announced
from dynamo_lab.suite.corpus.corpus import FAMILIES, chosen, entries_of
from dynamo_lab.suite.models.models import models

DOCS = Path(__file__).parents[2] / "notebooks" / "docs"


def test_each_name_is_in_a_package_or_says_why_not() -> None:
    every = list(announced())
    assert all(bool(one.package) == bool(one.named) != bool(one.why) for one in every)
    assert len({(one.origin, one.name) for one in every}) == len(every)
    listed = Counter(one.origin for one in every)
    assert listed == {"Hugging Face": 53, "timm": 62, "TorchBench": 73}
    assert all(listed[origin] >= counted for origin, counted in COUNTED.items())
    assert sum(COUNTED.values()) == 163


def test_those_of_the_suite_itself_are_there() -> None:
    own = [one.named for one in announced() if one.package == "dynamo_lab"]
    assert own
    assert set(own) <= models().keys()


@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="no transformers")
def test_transformers_has_each_class() -> None:
    known = set(dir(importlib.import_module("transformers")))  # which imports none of them
    named = {one.named for one in announced() if one.package == "transformers"}
    assert named - known == set()
    assert "Speech2Text2ForCausalLM" not in known


@pytest.mark.skipif(importlib.util.find_spec("timm") is None, reason="no timm")
def test_timm_has_each_model() -> None:
    timm: Any = importlib.import_module("timm")
    named = [one.named for one in announced() if one.package == "timm"]
    assert [name for name in named if not timm.is_model(name)] == []


def test_they_are_tried_where_they_are_named_and_not_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    again = [family.name for family in FAMILIES if not family.usual]
    assert again == ["2.0-huggingface", "2.0-timm", "2.0-torchbench"]
    monkeypatch.setattr(corpus, "entries_of", lambda family: {f"{family}:one": None})
    assert chosen("") == [f"{family.name}:one" for family in FAMILIES if family.usual]
    assert chosen("2.0-timm") == ["2.0-timm:one"]


@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="no transformers")
def test_one_with_its_head_is_small_and_runs() -> None:
    program = entries_of("2.0-huggingface")["2.0-huggingface:YituTechConvBert"].build()
    assert type(program.fn).__name__ == "ConvBertForMaskedLM"
    assert isinstance(program.fn, torch.nn.Module)
    assert sum(one.numel() for one in program.fn.parameters()) < 10_000_000
    assert program.run(program.fn).logits.shape[:2] == program.kwargs["input_ids"].shape


def test_the_page_is_the_one_that_its_script_writes() -> None:
    """`python notebooks/docs/announced_models.py` writes it."""
    spec = spec_from_file_location("announced_models", DOCS / "announced_models.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    page = (DOCS / "reference" / "announced_models.md").read_text(encoding="utf-8")
    assert page == script.page()

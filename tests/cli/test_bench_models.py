"""Models of the suite's list in `dynamo-lab bench`, and the files of several cases."""

import argparse
from pathlib import Path
from typing import Any

import pytest

from dynamo_lab.bench import run
from dynamo_lab.cli.bench import _writers  # pyright: ignore[reportPrivateUsage]
from dynamo_lab.cli.core.models import bench_model, model_named
from dynamo_lab.errors import OptionError


def options(**given: Any) -> argparse.Namespace:
    return argparse.Namespace(**{"cases": ["mlp", "softmax"], "json": None, "html": None, **given})


def test_a_name_of_the_list_is_a_model_and_a_case_is_none() -> None:
    assert model_named("resnet50_plain") is not None
    assert model_named("softmax") is None


def test_a_model_is_timed_under_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not under that of the class that the list wraps it in."""
    titles: list[str] = []

    def stopped(*given: object) -> None:
        titles.append(str(given[-1]))
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "BenchRun", stopped)
    model = model_named("mlp")
    assert model is not None
    asked = options(device="cpu", size="", training=True, ways=[], rounds=3)
    with pytest.raises(KeyboardInterrupt):
        bench_model(model, asked, kernels=False)
    assert titles == ["mlp (small, float32 on cpu)"]


def test_several_cases_are_files_of_their_names_in_a_folder(tmp_path: Path) -> None:
    ((_, path),) = _writers("mlp", options(json=str(tmp_path)))
    assert path == str(tmp_path / "mlp.json.gz")
    assert _writers("mlp", options()) == []


def test_one_case_is_the_file_that_is_named(tmp_path: Path) -> None:
    given = options(cases=["mlp"], json=str(tmp_path / "run.json"))
    assert [path for _, path in _writers("mlp", given)] == [str(tmp_path / "run.json")]


@pytest.mark.parametrize("given", [{"html": "page.html"}, {"json": "no/such/folder"}])
def test_what_cannot_hold_several_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(OptionError, match="in a folder that is there"):
        _writers("mlp", options(**given))

"""Files of recordings for the commands to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dynamo_lab.model.core.codec import save
from tests.view.samples import assembled, film, searched

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.model.recording import Recording


@pytest.fixture
def filmed(tmp_path: Path) -> str:
    path = tmp_path / "film.json"
    save(film(), path)
    return str(path)


@pytest.fixture
def assembly(tmp_path: Path) -> str:
    path = tmp_path / "assembled.json"
    save(assembled(), path)
    return str(path)


@pytest.fixture
def saved(sample: Recording, tmp_path: Path) -> str:
    path = tmp_path / "run.json.gz"
    save(sample, path)
    return str(path)


@pytest.fixture
def drawn(tmp_path: Path) -> str:
    path = tmp_path / "searched.json"
    save(searched(), path)
    return str(path)

"""Fixtures of the tests that compile for real."""

import os

import pytest
import torch

from tests.live.explored import Explorations


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Explorations:
    """The facts of a program of `programs.py`: `explored("lstm").recording`."""
    folder = tmp_path_factory.getbasetemp()  # a worker of pytest-xdist has one of its own in it
    return Explorations(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder)

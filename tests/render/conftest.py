"""The hand-made recordings, by name."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dynamo_lab.model.recording import Recording

_SAMPLES = Path(__file__).parent.parent / "view" / "samples" / "__init__.py"


@pytest.fixture
def make() -> Callable[[str], Recording]:
    """Make the sample of a name, as `make("branch_and_print")`."""
    # Tests are no package, so that they can also run against an installed wheel.
    spec = importlib.util.spec_from_file_location(
        "dynamo_lab_samples", _SAMPLES, submodule_search_locations=[str(_SAMPLES.parent)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return lambda name: getattr(module, name)()

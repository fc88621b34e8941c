"""JupyterLab's extension wears the colours of the view, and says what Python understands."""

import json
import re
from pathlib import Path

import dynamo_lab
from dynamo_lab.api.settings import CHOICES

ROOT = Path(dynamo_lab.__file__).parent
EXTENSION = ROOT / "labextension"


def hues(text: str, prefix: str) -> list[tuple[str, str]]:
    """The names and values of the light colours, then those of the dark ones."""
    return re.findall(rf"--{prefix}(r\d|warn|bad|dim): (#[0-9a-f]{{6}})", text)[:22]


def test_its_colours_are_those_of_the_view() -> None:
    view = (ROOT / "frontend/src/style/colours.css").read_text(encoding="utf-8")
    own = (ROOT / "frontend/labextension/style/index.css").read_text(encoding="utf-8")
    for scheme in (slice(0, 11), slice(11, 22)):
        shown = dict(hues(own, "dynamo-lab-")[scheme])
        assert len(shown) == 11
        assert shown == dict(hues(view, "dl-")[scheme])


def test_its_settings_are_those_of_lab() -> None:
    schema = json.loads((EXTENSION / "schemas/dynamo-lab/plugin.json").read_text(encoding="utf-8"))
    offered = {
        name: tuple(one["const"] for one in item["oneOf"])
        for name, item in schema["properties"].items()
    }
    of_notebook = {"evaluate"}  # a browser may not switch on what evaluates text
    assert offered == {name: CHOICES[name] for name in CHOICES.keys() - of_notebook}
    assert all(item["default"] == CHOICES[n][0] for n, item in schema["properties"].items())


def test_it_is_small_and_brings_nothing_of_jupyterlabs() -> None:
    files = list(EXTENSION.rglob("*.js"))
    assert sum(path.stat().st_size for path in files) < 40_000
    licences = json.loads((EXTENSION / "static/third-party-licenses.json").read_text())
    assert {one["name"] for one in licences["packages"]} <= {"css-loader", "style-loader"}

"""What a user installs has all it needs, and what the README shows is there."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import dynamo_lab

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    done = subprocess.run([*command, str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_what_it_should(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    ours = [name for name in names if name.startswith("dynamo_lab/")]
    built = {name.rpartition("/")[2] for name in ours if "/render/assets/" in name}
    committed = {path.name for path in (ROOT / "dynamo_lab/render/assets").rglob("*.*")}
    assert "dynamo_lab/py.typed" in ours
    assert any(name.startswith("dynamo_lab/_kernels/") for name in ours)
    lessons = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    packed = {name.removeprefix("dynamo_lab/_notebooks/") for name in ours if "_notebooks/" in name}
    assert packed >= lessons
    assert {name.partition("/")[0] for name in packed} == {*lessons, "solutions"}
    assert any(name.endswith(".js") for name in built)
    assert built >= committed
    assert not [name for name in names if "node_modules" in name or "/frontend/" in name]
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"dynamo_lab"}


def test_the_wheel_works_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    code = """
import sys, dynamo_lab
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.page import page
from dynamo_lab.view import build
assert "<html" in page(build(Recording(title="a")))
from dynamo_lab.measure.baselines import baselines_of
from dynamo_lab.measure.cases import find_case
assert baselines_of(find_case("softmax"))
from dynamo_lab.course.notebooks import lessons, solutions
assert all(lesson.parent.name == "_notebooks" for lesson in lessons()) and solutions(lessons()[0])
print(dynamo_lab.__file__)
"""
    path = os.pathsep.join([str(tmp_path / "site"), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path))


def labextensions(folder: Path, *install: str) -> str:
    """What `jupyter labextension list` says in a fresh environment after this installation."""
    made = folder / "venv"
    venv.create(made, with_pip=False)
    python = made / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # the packages that are here are there, too: what is installed below comes on top
    [site] = made.rglob("site-packages")
    (site / "here.pth").write_text("\n".join(path for path in sys.path if path))
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", *offline]
    subprocess.run([*pip, "--ignore-installed", *install], check=True)
    # not `jupyter labextension`, which would find the command of another environment on the path
    code = "from jupyterlab.labextensions import main; main()"
    command = [str(python), "-c", code, "list"]
    listed = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True)
    return listed.stdout + listed.stderr


@pytest.mark.release
@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_jupyterlab_sees_the_extension(wheel: Path, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("jupyterlab", reason="needs JupyterLab: pip install -e '.[lab]'")
    if kind == "editable":
        pytest.importorskip("editables", reason="needs editables: pip install -e '.[test]'")
    listed = labextensions(tmp_path, *([str(wheel)] if kind == "wheel" else ["-e", str(ROOT)]))
    _, _, of_environment = listed.partition(str(tmp_path / "venv"))
    [found] = [line for line in of_environment.splitlines() if "dynamo-lab v" in line]
    assert "enabled" in found
    assert "OK" in found


def test_kernels_is_never_a_package() -> None:
    """A package on PyPI has that name: ours would hide it from notebooks started here."""
    assert not list((ROOT / "kernels").rglob("__init__.py"))


def test_the_command_is_installed_under_its_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, function = project["scripts"]["dynamo-lab"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))


def test_public_names_are_there_and_explained() -> None:
    for name in dynamo_lab.__all__:
        assert getattr(dynamo_lab, name).__doc__, name


class TestReadme:
    def test_its_python_is_ours(self) -> None:
        blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
        assert blocks
        for block in blocks:
            ast.parse(re.sub(r"^%", "#%", block, flags=re.MULTILINE))
        named = set(re.findall(r"\blab\.(\w+)", README))
        assert named
        assert named <= set(dynamo_lab.__all__)
        fields = set(re.findall(r"\brec\.(\w+)", README))
        assert [f for f in fields if not hasattr(dynamo_lab.Recording, f)] == []

    def test_its_links_lead_somewhere(self) -> None:
        links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
        files = re.findall(r"notebooks/\w+\.ipynb", README)
        assert [link for link in {*links, *files} if not (ROOT / link).exists()] == []

    def test_its_pictures_are_there(self) -> None:
        pictures = re.findall(r'src(?:set)?="([^"]+)"', README)
        assert pictures
        assert [picture for picture in pictures if not (ROOT / picture).exists()] == []

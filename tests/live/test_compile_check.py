"""The pytest fixture, in a pytest of its own; and a script that is recorded and checked in one."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dynamo_lab.__main__ import main
from dynamo_lab.model.core.codec import load

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]

HEAD = """\
import pytest
import torch
from dynamo_lab.errors import CheckFailed, OptionError

x4, x8, x16 = torch.randn(4, 3), torch.randn(8, 3), torch.randn(16, 3)

def plain(x, by=2):
    return (x.sin() * by).softmax(-1)

def broken(x):
    y = x.sin()
    if y.sum() > 100:
        y = y * 2
    return y + 1
"""


def run(folder: Path, tests: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(HEAD + tests)
    (folder / "pytest.ini").write_text("[pytest]\n")  # not ours, where the folder is in a checkout
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "dynamo_lab.pytest_plugin",
        *options,
    ]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    ours = ("PYTEST_ADDOPTS", "PYTEST_XDIST")  # they are for the tests around it
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment = {**kept, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", "test_it.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_what_compiles_as_expected_passes(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
def test_one_call(compile_check):
    recording = compile_check(plain, x4, by=3, breaks=0, graphs=1, max_kernels=3, recompiles=0)
    assert len(recording.captured_graphs()) == 1

def test_many_shapes(compile_check):
    compile_check(plain, over=[(x4,), (x8,), {"x": x16}], recompiles=0, graphs=1, dynamic=True)

def test_a_size_becomes_a_symbol(compile_check):
    compile_check(plain, over=[x4, x8, x16], recompiles=1, graphs=2)

def test_training(compile_check):
    model = torch.nn.Linear(3, 2)
    recording = compile_check(model, x4, grad=True, graphs=1)
    assert any(graph.is_backward for graph in recording.graphs)
    assert model.weight.grad is not None

def test_what_is_allowed(compile_check):
    compile_check(broken, x4, breaks=1, graphs=2, backend="eager")
    compile_check(broken, x4, breaks=None, backend="eager")
    compile_check(lambda x: 3, x4, graphs=0, backend="eager")

def test_names_that_are_also_options(compile_check):
    compile_check(lambda x, fn: x + fn, x4, fn=3, backend="eager")
    compile_check(lambda x, frames: x + frames, over=[{"x": x4, "frames": 3}], backend="eager")
""",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


@pytest.mark.slow
def test_nothing_compiled_is_no_success(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
def generator(x):
    yield x + 1

disabled = torch.nn.Linear(3, 3)
disabled.forward = torch.compiler.disable(disabled.forward)

@pytest.mark.parametrize(("fn", "told"), [
    (lambda x: 3, "<lambda> .test_it.py, line .*: skipped, .*[a-z]"),
    (generator, "generator .test_it.py, line .*: skipped, .*[a-z]"),
    (disabled, "saw none of your code"),
])
def test_it(compile_check, fn, told):
    for options in {}, {"graphs": 1}, {"breaks": None}:
        with pytest.raises(CheckFailed, match=f"(?s)- nothing was compiled.*{told}"):
            compile_check(fn, x4, backend="eager", **options)
""",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


@pytest.mark.slow
def test_what_does_not_fails_with_facts_and_lines(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
@pytest.mark.parametrize("name", ["a/b c", "\\u00e9" * 200])
def test_break(compile_check, name):
    compile_check(broken, x4, graphs=1, backend="eager")

def test_recompile(compile_check):
    compile_check(plain, over=[x4, x8], backend="eager")

def test_raises(compile_check):
    compile_check(lambda x: x @ x, x4, backend="eager")
""",
        "--compile-check-dir",
        "kept",
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "4 failed" in done.stdout
    said = done.stdout
    assert "broken is not as expected:" in said
    assert "- expected 0 breaks, found 1:" in said
    assert "test_it.py, line 12: Data-dependent" in said
    assert "12 | if y.sum() > 100:" in said
    assert "- expected 0 recompiles, found 1:" in said
    assert "- the program failed: " in said
    assert "compile_check.py:" not in said  # the traceback ends at the test's line
    kept = sorted((tmp_path / "kept").iterdir())
    assert len(kept) == 4
    for path in kept:
        assert f"dynamo-lab show kept/{path.name}" in said
        assert re.fullmatch(r"[\w.-]+\.json\.gz", path.name)
    assert any(load(path).breaks for path in kept)


def test_wrong_use_is_a_sentence(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
@pytest.mark.parametrize(("arguments", "options", "sentence"), [
    ((plain, x4), {"over": [x4]}, "arguments or over=, not both"),
    ((plain,), {"over": []}, "over= is a list"),
    ((plain,), {"over": x4}, "over= is a list"),
    ((3,), {}, "cannot be called"),
    ((plain, x4), {"breaks": -1}, "is not a count"),
    ((plain, x4), {"grad": "yes"}, "grad='yes' is not an option"),
    ((plain, x4), {"graphs": "1"}, "is not a count"),
])
def test_it(compile_check, arguments, options, sentence):
    with pytest.raises(OptionError, match=sentence):
        compile_check(*arguments, **options)
""",
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_plugin_is_installed_and_imports_no_torch() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    ((name, module),) = project["entry-points"]["pytest11"].items()
    assert name == "dynamo_lab.pytest_plugin", "the name that `-p no:...` was given in projects"
    assert callable(importlib.import_module(module).pytest_addoption)
    code = f"import sys, {module}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_a_script_is_recorded_and_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import sys\nimport torch\n\n@torch.compile(backend='eager')\ndef f(x):\n"
        "    y = x + 1\n    print(sys.argv[1:])\n    return y\n\nf(torch.ones(3))\n"
    )
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    command = ["check", str(script), "--breaks", "0", "--format", "github", "--", "--epochs", "1"]
    assert main(command) == 1
    said = capsys.readouterr().out
    assert "['--epochs', '1']" in said
    assert "::error file=train.py,line=7,title=dynamo_lab%3A expected 0 breaks%2C found 1::" in said
    script.write_text("raise ValueError('no')\n")
    assert main(["check", str(script)]) == 1
    assert "the program failed: ValueError: no" in capsys.readouterr().err

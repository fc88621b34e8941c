"""A fault put into PyTorch is named, with its line; what only rounds otherwise is said to."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.bench.bisections.trials import MOST
from dynamo_lab.errors import BisectionError, OptionError
from dynamo_lab.view import build
from tests.live.bisections.benign import BENIGN, Benign
from tests.live.bisections.miscompiles import (
    MISCOMPILES,
    Miscompile,
    decomposition,
    lowering,
    printer,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

pytestmark = pytest.mark.live
aten = torch.ops.aten

_QUICK = {"gelu", "erf_lowered", "amplified", "chain"}


def _each(items: Any) -> list[Any]:
    """All, of which a few run every time."""
    seen: set[str] = set()
    made: list[Any] = []
    for number, item in enumerate(items):
        name = item.program.__name__
        is_quick = name in _QUICK and name not in seen
        seen.add(name)
        marks = () if is_quick else (pytest.mark.release,)
        made.append(pytest.param(item, id=f"{number}-{name}", marks=marks))
    return made


@contextmanager
def seeded(change: Callable[[ExitStack], None]) -> Generator[None]:
    with ExitStack() as stack:
        change(stack)
        yield


@pytest.mark.parametrize("miscompile", _each(MISCOMPILES))
def test_a_miscompile_is_named_to_line_and_part(miscompile: Miscompile) -> None:
    with seeded(miscompile.change):
        found = lab.why_wrong(miscompile.program, *miscompile.arguments())
    assert found.verdict == "bug", str(found)
    parts = [c for c in found.facts.culprits if c.kind not in ("kernel", "statement")]
    assert parts[-1].kind == miscompile.kind, str(found)
    assert miscompile.name in parts[-1].name
    view = build(found.recording).bisection
    assert view
    assert str(miscompile.line()) in view.where
    assert len(found.facts.trials) <= MOST
    if miscompile.kind in ("lowering", "fusion"):
        assert found.facts.kernel is not None


@pytest.mark.parametrize("benign", _each(BENIGN))
def test_rounding_is_no_bug(benign: Benign) -> None:
    found = lab.why_wrong(benign.program, *benign.arguments())
    assert found.verdict in ("rounding", "same"), str(found)
    assert not found.facts.culprits


def test_the_compiler_s_own_error_is_followed_to_the_lowering_that_raises() -> None:
    def fails(stack: ExitStack) -> None:
        from unittest import mock

        from torch._inductor.lowering import lowerings

        def raises(*_: Any) -> None:
            raise AssertionError("no such index")

        stack.enter_context(mock.patch.dict(lowerings, {aten.erf.default: raises}))

    def program(x: torch.Tensor) -> torch.Tensor:
        y = x.sigmoid()
        y = torch.erf(y)  # here
        return y.exp()

    with seeded(fails):
        found = lab.why_wrong(program, torch.randn(8, 8))
    assert found.verdict == "crash"
    assert "AssertionError" in found.facts.error
    assert (found.facts.culprits[1].kind, found.facts.culprits[1].name) == ("lowering", "erf")
    assert "raises" in str(found)


def test_a_part_is_not_named_where_the_program_is_not_deterministic() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return x * _scale()

    found = lab.why_wrong(program, torch.randn(4))
    assert found.verdict == "unknown"
    assert "not deterministic" in found.facts.sentence
    assert not found.facts.culprits


def _scale() -> float:
    """Numbers that no seed repeats."""
    return random.SystemRandom().random()


def test_dropout_is_compared_with_the_same_random_numbers() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(x, 0.5).exp()

    found = lab.why_wrong(program, torch.randn(64))
    assert found.verdict in ("same", "rounding"), str(found)
    made = found.reproducer()
    assert "fallback_random = True" in made.text
    assert not made.fault
    assert not torch._inductor.config.fallback_random


def test_numbers_of_numpy_are_said_to_be_drawn_otherwise() -> None:
    numpy = pytest.importorskip("numpy")

    def program(x: torch.Tensor) -> torch.Tensor:
        return x + torch.from_numpy(numpy.random.rand(4))

    found = lab.why_wrong(program, torch.randn(4))
    assert found.verdict in ("unknown", "same"), str(found)
    assert not found.facts.culprits


def test_a_program_that_gives_no_tensor_is_not_judged() -> None:
    def program(x: torch.Tensor) -> None:
        x.sum()

    found = lab.why_wrong(program, torch.randn(4))
    assert found.verdict == "unknown"
    assert "no tensor" in str(found)


def test_of_two_graphs_the_wrong_one_is_named_and_its_line() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        y = x.cos() + 1
        torch._dynamo.graph_break()
        y = torch.nn.functional.silu(y)  # here
        return y * 2

    with seeded(decomposition(aten.silu.default)):
        found = lab.why_wrong(program, torch.randn(8))
    kinds = {c.kind: c.name for c in found.facts.culprits}
    assert kinds["graph"] == "graph 2 of 2"
    assert kinds["decomposition"] == "aten.silu.default"
    assert "silu(y)  # here" in str(found)


def test_a_wrong_write_to_an_argument_is_seen() -> None:
    def program(x: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
        total += torch.nn.functional.silu(x)
        return x + 1

    with seeded(decomposition(aten.silu.default)):
        total = torch.zeros(8)
        found = lab.why_wrong(program, torch.randn(8), total)
    assert found.verdict == "bug"
    assert total.eq(0).all(), "the argument was not restored"


def test_the_first_value_that_is_no_number_is_named() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        y = x.abs() + 1
        return y.sqrt() * 2

    with seeded(printer("sqrt", "({right} / decltype({x})(0.0f))")):
        found = lab.why_wrong(program, torch.randn(64))
    assert found.verdict == "bug"
    assert "cpp_fused" in found.facts.first_bad


def test_a_module_is_compared_with_its_gradients_and_buffers() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8), torch.nn.GELU())
    found = lab.why_wrong(model, torch.randn(16, 8))
    assert found.verdict in ("same", "rounding"), str(found)
    names = {one.value for one in found.facts.differences}
    assert "gradient of 0.weight" in names
    assert any("running_mean" in name for name in names)


def test_a_recording_is_searched_with_its_own_options() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(x) + 1

    recording = lab.explore(program, torch.randn(8), backend="eager")
    with seeded(decomposition(aten.silu.default)):
        found = recording.bisect()
    assert found.verdict == "bug"
    assert "silu" in str(found)


def test_what_cannot_be_asked_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BisectionError, match="without being compiled"):
        lab.why_wrong(lambda x: x.no_such_method(), torch.ones(2))
    with pytest.raises(OptionError, match="compiled already"):
        lab.why_wrong(torch.compile(lambda x: x + 1), torch.ones(2))
    recording = lab.explore(lambda x: x + 1, torch.ones(2), backend="eager")
    recording.save(tmp_path / "a.json")
    with pytest.raises(BisectionError, match="loaded from a file"):
        lab.load(tmp_path / "a.json").bisect()


def test_the_answer_is_saved_and_shown_again(tmp_path: Path) -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(x)

    with seeded(decomposition(aten.silu.default)):
        found = lab.why_wrong(program, torch.randn(8))
    found.save(tmp_path / "a.json.gz")
    again = lab.load(tmp_path / "a.json.gz")
    assert again.bisection == found.facts
    assert "aten.silu.default" in str(again)
    assert "aten.silu.default" in again._repr_mimebundle_()["text/html"]


_WITHOUT_CACHES = {"TORCHINDUCTOR_FX_GRAPH_CACHE": "0", "TORCHINDUCTOR_AUTOGRAD_CACHE": "0"}

_RUN = """
import contextlib, runpy, sys
sys.path.insert(0, {folder!r})
import torch
from tests.live.bisections.miscompiles import lowering
with contextlib.ExitStack() as stack:
    if sys.argv[2] == "with":
        lowering(torch.ops.aten.erf.default)(stack)
    runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.mark.release  # two processes that import torch
def test_a_reproducer_fails_in_a_process_of_its_own_and_only_with_the_fault(tmp_path: Path) -> None:
    def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.erf(x @ w).sum(1)

    with seeded(lowering(aten.erf.default)):
        found = lab.why_wrong(program, torch.randn(24, 48), torch.randn(48, 96))
        made = found.reproducer()
    assert "dynamo_lab" not in made.text
    assert "(2, 2)" in made.text, "the inputs were not made small"
    assert "torch.__version__" not in made.text
    assert f"torch {torch.__version__}" in made.text
    assert "AssertionError" in made.fault
    issue = made.issue()
    assert made.text in issue
    assert "### Versions" in issue
    made.save(tmp_path / "repro.py")
    with_fault = _run_apart(tmp_path, "with")
    assert with_fault.returncode == 1
    assert "Tensor-likes are not close" in with_fault.stderr
    assert _run_apart(tmp_path, "without").returncode == 0


def _run_apart(tmp_path: Path, fault: str) -> subprocess.CompletedProcess[str]:
    folder = str(Path(__file__).parents[3])
    return subprocess.run(
        [sys.executable, "-c", _RUN.format(folder=folder), str(tmp_path / "repro.py"), fault],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
            "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
        },
    )


def test_a_reproducer_of_a_program_without_a_fault_runs_to_its_end() -> None:
    def program(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        return x[at].exp() * 2

    recording = lab.explore(program, torch.randn(8, 4), torch.tensor([1, 7]))
    (kernel, *_) = [k for k in recording.kernels if k.code]
    made = recording.reproducer(kernel=kernel.id)
    assert kernel.name in made.text
    assert not made.fault
    assert "(8, 4)" in made.text
    assert recording.reproducer(graph=0).text.splitlines()[1:] == made.text.splitlines()[1:]
    with pytest.raises(BisectionError, match="no graph 3"):
        recording.reproducer(graph=3)


def test_half_precision_that_overflows_in_eager_alone_is_no_bug() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return (x * 300) * 300 / 1000

    found = lab.why_wrong(program, torch.full((64,), 3.0, dtype=torch.float16))
    assert found.verdict in ("rounding", "unknown"), str(found)


def test_a_view_asks_for_the_difference_and_shows_it() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(x)

    recording = lab.explore(program, torch.randn(8), backend="eager")
    run = recording.runs()
    assert run
    with seeded(decomposition(aten.silu.default)):
        label, outcome, made = run(recording, "bisect", {}, None)
    assert label == "searched"
    assert outcome == {"state": "bug"}
    shown = build(made).bisection
    assert shown
    assert "aten.silu.default" in shown.sentence
    assert len(shown.trials) == len(made.bisection.trials) if made.bisection else False

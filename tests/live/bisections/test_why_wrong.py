"""A fault put into PyTorch is named, with its line; what only rounds otherwise is said to."""

from __future__ import annotations

import random
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
    printer,
    seeded,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack
    from pathlib import Path

pytestmark = pytest.mark.live
aten = torch.ops.aten

_QUICK = {"gelu", "exp_pass", "amplified", "chain"}


def _setting(name: str) -> Any:
    from torch._inductor import config

    return getattr(config, name)


def _each(items: Any) -> list[Any]:
    """All, of which a few run every time."""
    seen: set[str] = set()
    made: list[Any] = []
    for number, item in enumerate(items):
        name = item.program.__name__
        is_quick = name in _QUICK and name not in seen
        seen.add(name)
        marks = () if is_quick else (pytest.mark.long,)
        made.append(pytest.param(item, id=f"{number}-{name}", marks=marks))
    return made


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
    assert not _setting("fallback_random")


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_first_value_that_is_no_number_is_named() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        y = x.abs() + 1
        return y.sqrt() * 2

    with seeded(printer("sqrt", "({right} / decltype({x})(0.0f))")):
        found = lab.why_wrong(program, torch.randn(64))
    assert found.verdict == "bug"
    assert "cpp_fused" in found.facts.first_bad


@pytest.mark.slow
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


def test_half_precision_that_overflows_in_eager_alone_is_no_bug() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return (x * 300) * 300 / 1000

    found = lab.why_wrong(program, torch.full((64,), 3.0, dtype=torch.float16))
    assert found.verdict in ("rounding", "unknown"), str(found)


class Waiting:
    """Hears of the progress, as an open view does."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.on_stop: Callable[[], None] = lambda: None

    def tell(self, what: str, fraction: float | None, seconds_left: float | None) -> None:
        self.told.append(what)


class Impatient(Waiting):
    """Stops at the second compilation."""

    def tell(self, what: str, fraction: float | None, seconds_left: float | None) -> None:
        super().tell(what, fraction, seconds_left)
        if len(self.told) == 2:
            self.on_stop()


def test_a_stopped_search_names_no_part() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(x)

    recording = lab.explore(program, torch.randn(8), backend="eager")
    run: Any = recording.runs()
    assert run
    with seeded(decomposition(aten.silu.default)):
        _, _, made = run(recording, "bisect", {}, Impatient())
    found = made.bisection
    assert found
    assert found.unfinished == "it was stopped"
    assert all(one.kind == "stage" for one in found.culprits)


def test_a_view_asks_for_the_difference_and_shows_it() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(x)

    recording = lab.explore(program, torch.randn(8), backend="eager")
    run: Any = recording.runs()
    assert run
    with seeded(decomposition(aten.silu.default)):
        label, outcome, made = run(recording, "bisect", {}, Waiting())
    assert label == "searched"
    assert outcome == {"state": "bug"}
    shown = build(made).bisection
    assert shown
    assert "aten.silu.default" in shown.sentence
    assert len(shown.trials) == len(made.bisection.trials) if made.bisection else False


def test_a_program_that_asks_whether_it_is_compiled_is_not_called_wrong() -> None:
    def asks(x: torch.Tensor) -> torch.Tensor:
        return x * (2 if torch.compiler.is_compiling() else 3)

    found = lab.why_wrong(asks, torch.randn(8))
    assert found.verdict == "unknown"
    assert "torch.compiler.is_compiling()" in str(found)
    assert not found.facts.culprits


@pytest.mark.parametrize(("factor", "is_undefined"), [(300.0, True), (20.0, False)])
def test_a_cast_that_is_undefined_is_no_bug(factor: float, is_undefined: bool) -> None:
    from dynamo_lab.capture.bisections.asked import undefined_conversions

    x = torch.linspace(-6.0, 6.0, 64)
    found = undefined_conversions(lambda: (x * factor).to(torch.int8))
    assert found == (("int8",) if is_undefined else ())
    copied = torch.zeros(64, dtype=torch.int8)
    assert undefined_conversions(lambda: copied.copy_(x * factor)) == found
    assert not undefined_conversions(lambda: (x * factor).to(torch.bool))
    assert not undefined_conversions(lambda: x.int().to(torch.int8))


@torch.library.custom_op("found_wrong::topup", mutates_args=())
def topup(stock: torch.Tensor) -> torch.Tensor:
    missing = (5.0 - stock).clamp(min=0)
    stock += missing  # which it does not declare
    return missing


@topup.register_fake
def _(stock: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(stock)


def test_an_operator_that_may_not_say_what_it_writes_is_told() -> None:
    def sells(stock: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        left = stock - 8
        ordered = topup(left)
        return left * 2, ordered

    found = lab.why_wrong(sells, torch.full((8,), 9.0))
    assert found.verdict == "bug"
    assert "The program calls `found_wrong::topup`, of which the compiler knows only" in " ".join(
        str(found).split()
    )
    [finding] = found.recording.findings
    assert "once `torch.library.opcheck` passes" in finding.remedy
    with pytest.raises(Exception, match="was mutated"):
        torch.library.opcheck(torch.ops.found_wrong.topup.default, (torch.ones(3),))

"""PyTorch may rename anything: what a recording leans on is taken away, name after name."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import torch
from torch.nn import functional

import dynamo_lab as lab
from dynamo_lab.capture.core import private
from dynamo_lab.capture.core.private import ABSENT, Private, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from dynamo_lab.model.recording import Recording

DYNAMO = ("core", "frames", "breaks", "guards", "graphs", "autograd", "decompositions")
INDUCTOR = ("lowering", "fusion", "kernels", "passes", "packages")


def table(noun: str) -> ModuleType:
    return importlib.import_module(f"dynamo_lab.capture.{noun}.hooks")


def rows(*nouns: str) -> list[Private]:
    """The rows of these nouns that this release should have."""
    return [row for noun in nouns for row in rows_of(table(noun)) if row.is_expected]


@contextmanager
def lacking(patch: pytest.MonkeyPatch, *gone: str) -> Iterator[None]:
    """A PyTorch without these names, and without what is in them."""
    real = private.resolve

    def resolve(row: Private) -> Any:
        is_gone = any(row.path == path or row.path.startswith(f"{path}.") for path in gone)
        return ABSENT if is_gone else real(row)

    with patch.context() as context:
        context.setattr(private, "resolve", resolve)
        yield


def state() -> list[Any]:
    """Whatever a recording could leave changed."""
    known = rows(*DYNAMO, *INDUCTOR, "steps")
    places = [row.place() for row in known if row.is_loaded and row.name]
    return [vars(owner).get(name) for owner, name in places if hasattr(owner, "__dict__")]


def breaks(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    print("", end="")
    return y.cos()


def smooth(x: torch.Tensor) -> torch.Tensor:
    return (x + 1).sum()


def both(x: torch.Tensor) -> torch.Tensor:
    y = functional.gelu(x @ x)
    print("", end="")
    return (y * 2).sum()


def run(fn: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> list[torch.Tensor]:
    """What a function returns, and the gradient it leaves."""
    result = fn(x)
    if x.requires_grad:
        result.sum().backward()
    grad, x.grad = x.grad, None
    return [result.detach()] if grad is None else [result.detach(), grad]


def recorded(
    fn: Callable[[torch.Tensor], torch.Tensor], backend: str, *, grad: bool, detail: Any = "normal"
) -> Recording:
    """The recording of a run that must come to the same as eager."""
    x = torch.linspace(-1, 1, 16).reshape(4, 4).requires_grad_(grad)
    torch._dynamo.reset()  # which a recording may lack
    with lab.record(detail=detail) as recorder:
        found = run(torch.compile(fn, backend=backend), x)
    torch.testing.assert_close(found, run(fn, x))
    assert recorder.recording.failure is None
    return recorder.recording


def tables_of(recording: Recording) -> set[str]:
    """The tables of a recording with something in them."""
    return {name for name, value in msgspec.structs.asdict(recording).items() if value}


PROGRAMS: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], str, bool]] = {
    **dict.fromkeys(
        ("core", "frames", "breaks", "guards", "graphs", "steps"), (breaks, "eager", False)
    ),
    **dict.fromkeys(("autograd", "decompositions"), (smooth, "aot_eager", True)),
    **dict.fromkeys(INDUCTOR, (smooth, "inductor", False)),
}


@pytest.mark.slow
@pytest.mark.parametrize("noun", PROGRAMS)
def test_one_name_is_missing(noun: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fn, backend, grad = PROGRAMS[noun]
    detail = "steps" if noun == "steps" else "normal"
    whole = tables_of(recorded(fn, backend, grad=grad, detail=detail))
    before = state()
    for row in rows(noun):
        with lacking(monkeypatch, row.path):
            recording = recorded(fn, backend, grad=grad, detail=detail)
        if row.is_loaded:
            told = [note.message for note in recording.notes if note.about == row.path]
            assert len(told) == 1, row.path
            assert row.lost.removesuffix(".") in told[0]
        assert len(tables_of(recording)) > len(whole) / 2, (row.path, whole - tables_of(recording))
        assert state() == before, row.path


@pytest.mark.parametrize("nouns", [*((noun,) for noun in PROGRAMS), tuple(PROGRAMS)], ids="-".join)
def test_a_whole_table_is_missing(nouns: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    recorded(both, "inductor", grad=True)  # imports what a table may lack
    before, gone = state(), [row.path for row in rows(*nouns)]
    with lacking(monkeypatch, *gone):
        recording = recorded(both, "inductor", grad=True, detail="steps")
    noted = {note.about for note in recording.notes}
    assert {row.path for row in rows(*nouns) if row.is_loaded} <= noted
    assert state() == before
    assert recording.frames or set(nouns) & {"frames", "core"}


def test_what_was_asked_for_and_cannot_be_done_is_a_failure_that_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = "torch._inductor.graph.GraphLowering"
    with lacking(monkeypatch, path):
        recording = lab.lower(smooth, torch.ones(4), target="cuda:sm_90")
    assert recording.failure is not None
    assert f"has no `{path}`: programs cannot be lowered" in recording.failure.message


def test_a_class_that_is_missing_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    operators = table("core").OPERATORS
    assert isinstance(torch.ops.aten.add.Tensor, operators.OpOverload)
    with lacking(monkeypatch, "torch._ops.OpOverload"):
        assert not isinstance(torch.ops.aten.add.Tensor, operators.OpOverload)


RENAMED = (
    "_handle_skip",
    "format_graph_break_message",
    "aot_dispatch_autograd_graph",
    "_recursive_post_grad_passes",
    "simplify_and_reorder",
    "fuse_two_nodes",
    "LightTracer",
)

REALLY = """
import json, re, sys
from importlib.machinery import PathFinder, SourceFileLoader

NAMES = re.compile(rb"\\b(" + "|".join({names!r}).encode() + rb")\\b")

class Renaming(SourceFileLoader):
    def get_data(self, path):
        return NAMES.sub(rb"another_\\1", super().get_data(path))

    def path_stats(self, path):
        raise OSError("what is cached has the old names")

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith(("torch._dynamo.", "torch._functorch.", "torch._inductor.")):
            spec = PathFinder.find_spec(name, path)
            if spec and isinstance(spec.loader, SourceFileLoader):
                if NAMES.search(open(spec.origin, "rb").read()):
                    spec.loader = Renaming(name, spec.origin)
            return spec

sys.meta_path.insert(0, Finder)
import torch
import dynamo_lab as lab

def both(x):
    y = torch.nn.functional.gelu(x @ x)
    print("", end="")
    return (y * 2).sum()

x = torch.ones(4, 4, requires_grad=True)
expected = both(x)
expected.backward()
gradient, x.grad = x.grad, None
with lab.record() as recorder:
    result = torch.compile(both)(x)
    result.backward()
recording = recorder.recording
print(json.dumps({{
    "same": torch.allclose(result, expected) and torch.allclose(x.grad, gradient),
    "notes": [note.message for note in recording.notes],
    "has": [len(recording.frames), len(recording.breaks), len(recording.kernels)],
}}))
"""


@pytest.mark.slow
def test_a_pytorch_in_which_names_are_really_others() -> None:
    code = REALLY.format(names=RENAMED)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["same"]
    assert all(told["has"])
    paths = [row.path for row in rows(*DYNAMO, *INDUCTOR)]
    known = [name for name in RENAMED if any(path.endswith(name) for path in paths)]
    assert len(known) >= len(RENAMED) - 1  # one came with a later release
    for name in known:
        assert any(name in message for message in told["notes"]), (name, told)

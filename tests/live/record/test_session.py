"""The rules of the capture: it never changes the program, and leaves nothing behind."""

import gc
import subprocess
import sys
import types
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch._dynamo
import torch._functorch.config
import torch._inductor.config
from torch._inductor.codegen import cpp as inductor_cpp

import dynamo_lab as lab
from dynamo_lab.capture.autograd.autograd import AutogradProbes
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.errors import AlreadyRecordingError
from dynamo_lab.record import replay


def watched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, str]]:
    """Every (owner, name) that a recording watches."""
    places: list[tuple[Any, str]] = []
    original = Patches.watch

    def remember(self: Patches, owner: Any, name: str, probe: Any) -> None:
        places.append((owner, name))
        original(self, owner, name, probe)

    with monkeypatch.context() as patch:
        patch.setattr(Patches, "watch", remember)
        with lab.record():
            pass
    return places


def state(places: list[tuple[Any, str]]) -> Iterator[Any]:
    """All that a recording could leave changed."""
    for owner, name in places:
        yield vars(owner).get(name)
    yield from torch._inductor.config.get_config_copy().items()
    yield from torch._functorch.config.get_config_copy().items()
    yield from torch._dynamo.config.get_config_copy().items()
    yield dict(torch._dynamo.convert_frame._bytecode_hooks)


@pytest.mark.parametrize("body_raises", [False, True])
def test_nothing_stays_patched(monkeypatch: pytest.MonkeyPatch, body_raises: bool) -> None:
    places = watched(monkeypatch)
    assert len(places) > 15
    before = list(state(places))

    def body() -> None:
        with lab.record():
            torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
            if body_raises:
                raise ZeroDivisionError

    if body_raises:
        with pytest.raises(ZeroDivisionError):
            body()
    else:
        body()
    assert list(state(places)) == before


def test_a_probe_that_raises_becomes_a_note_and_changes_no_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("probe is broken")
        yield

    for probes, name in ((GraphProbes, "dynamo_graph"), (AutogradProbes, "inference_graph")):
        broken.__name__ = name
        monkeypatch.setattr(probes, name, staticmethod(broken))
    x = torch.randn(8)
    results: list[torch.Tensor] = []
    with lab.record() as recorder:
        results.append(torch.compile(lambda t: t.sin() * 2)(x))
    torch.testing.assert_close(results[0], x.sin() * 2)
    recording = recorder.recording
    failures = [note for note in recording.notes if note.level == "failure"]
    assert failures
    assert "probe is broken" in failures[0].traceback
    assert recording.kernels  # the other probes went on
    with pytest.raises(lab.check.__globals__["CheckFailed"], match="probe is broken"):
        lab.check(recording, failures=0)


def test_a_probe_that_raises_after_the_call_is_a_note_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        yield
        raise RuntimeError("too late")

    monkeypatch.setattr(AutogradProbes, "joint_graph", staticmethod(broken))
    recording = lab.explore(
        lambda x: x.sin(), torch.randn(3, requires_grad=True), backend="aot_eager"
    )
    assert recording.failure is None
    assert any("too late" in note.message for note in recording.notes)


def test_a_recording_inside_another_is_refused_in_one_sentence() -> None:
    with lab.record(), pytest.raises(AlreadyRecordingError, match="end it before"), lab.record():
        pass
    with lab.record():  # and the refusal did not leave the recorder locked
        pass


def test_exceptions_of_the_program_pass_through_and_are_recorded() -> None:
    def fails(x: torch.Tensor) -> torch.Tensor:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), lab.record() as recorder:
        torch.compile(fails)(torch.ones(2))
    failure = recorder.recording.failure
    assert failure is not None
    assert (failure.type, "mine" in failure.message) == ("KeyError", True)
    assert recorder.recording.state == "done"


def test_compiled_results_are_the_programs_own() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU())
    x = torch.randn(2, 4)
    with lab.record():
        recorded = torch.compile(model)(x)
    torch.testing.assert_close(recorded, model(x))


def test_a_recording_does_not_keep_a_large_model_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "_LIGHT_BYTES", 0)
    model = torch.nn.Bilinear(2, 3, 4)
    alive = weakref.ref(model)
    recording = lab.explore(model, torch.ones(1, 2), torch.ones(1, 3))
    assert len(recording.captured_graphs()) == 1
    del model
    torch._dynamo.reset()
    gc.collect()
    assert alive() is None


def test_a_wrapper_that_outlives_the_recording_is_inert() -> None:
    name = "set_kernel_post_grad_provenance_tracing"
    with lab.record():
        kept = getattr(inductor_cpp, name)
    assert isinstance(kept, types.FunctionType)
    assert kept is not getattr(inductor_cpp, name)
    assert kept.__wrapped__ is getattr(inductor_cpp, name)


@pytest.mark.slow
def test_in_a_fresh_process_the_first_graph_has_its_kernels_too() -> None:
    program = (
        "import sys, torch, dynamo_lab as lab\n"
        "assert 'torch._inductor.compile_fx' not in sys.modules\n"
        "for _ in range(2):\n"
        "    recording = lab.explore(lambda x: x.sin() + 1, torch.ones(3))\n"
        "    lab.check(recording, graphs=1)\n"
        "    print(len(recording.kernels), [graph.stage for graph in recording.graphs])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    expected = "1 ['dynamo', 'pre_grad', 'forward', 'post_grad']\n"
    assert done.stdout == expected * 2


@pytest.mark.slow
def test_dynamo_does_not_see_the_recorder_itself() -> None:
    model = torch.nn.Linear(4, 2)

    def step(x: torch.Tensor) -> torch.Tensor:
        loss = model(x).sum()
        loss.backward()  # compiled lazily, in the middle of the program: probes run there too
        return loss

    def phase(name: str) -> None:
        assert name

    with lab.record() as recorder:
        recorder.on_phase = phase
        torch.compile(step)(torch.randn(3, 4))
    recording = recorder.recording
    lab.check(recording, failures=0)
    assert any(graph.is_backward for graph in recording.graphs)
    paths = {recording.sources[recording.spans[f.span].source].path for f in recording.frames}
    assert not [path for path in paths if "dynamo_lab" in path or path.startswith("capture/")]
    assert phase.__name__ not in {frame.name for frame in recording.frames}

"""What the page "What became of it" says of the installed PyTorch."""

from __future__ import annotations

import importlib
import warnings

import pytest
import torch

import dynamo_lab as lab

pytestmark = pytest.mark.live


def _scripted() -> torch.jit.ScriptFunction[..., torch.Tensor]:
    def inner(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x) + 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.jit.script(inner)


def _targets(recording: lab.Recording) -> list[str]:
    nodes = [node for graph in recording.captured_graphs() for node in graph.nodes]
    return [node.target for node in nodes if node.op.startswith("call")]


def test_torchscript_and_functorch_warn() -> None:
    with pytest.warns(DeprecationWarning, match=r"torch\.compile.*torch\.export"):
        torch.jit.script(torch.nn.ReLU())
    functorch = importlib.import_module("functorch")
    with pytest.warns(FutureWarning, match=r"deprecated as of PyTorch\s+2\.0"):
        functorch.vmap(torch.sin)(torch.ones(2))


def test_a_scripted_function_is_captured_without_a_break() -> None:
    scripted = _scripted()
    recording = lab.explore(lambda x: scripted(x.sin()).cos(), torch.ones(3), backend="eager")
    assert recording.breaks == ()
    assert _targets(recording) == ["sin", "torch.relu", "operator.add", "cos"]


def test_datapipes_are_still_in_torch() -> None:
    pipes = importlib.import_module("torch.utils.data.datapipes")
    assert hasattr(pipes.iter, "Batcher")


def test_the_fast_path_of_an_encoder_is_one_node_without_gradients_alone() -> None:
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 1)
    x = torch.ones(2, 3, 8)
    with_gradients = _targets(lab.explore(model, x, backend="eager"))
    assert len(with_gradients) > 5
    without = _targets(lab.explore(model.eval(), x, backend="eager", grad=False))
    assert without == ["torch._transformer_encoder_layer_fwd"]

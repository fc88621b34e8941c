"""Every log of the installed torch has its place; recording logs leaves nothing behind."""

from __future__ import annotations

import io
import logging
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch._logging._internal as torch_logging

import dynamo_lab as lab
from dynamo_lab.capture.core.private import installed
from dynamo_lab.errors import OptionError
from dynamo_lab.model.logs import component_of
from dynamo_lab.render.terminal import SECTIONS
from dynamo_lab.view import build
from dynamo_lab.view.logs.table import LOGS

if TYPE_CHECKING:
    from dynamo_lab.view.logs.logs import LogView

pytestmark = pytest.mark.live

REGISTRY: Any = torch_logging.log_registry
NAMES = (
    "+dynamo,aot_graphs,aot_joint_graph,pre_grad_graphs,post_grad_graphs,"
    "ir_pre_fusion,ir_post_fusion,fusion,output_code,kernel_code,bytecode"
)
TIED = {
    "dynamo": "frames", "bytecode": "frames", "graph_breaks": "breaks", "guards": "guards",
    "graph_code": "graphs", "aot_graphs": "graphs",
    "aot_joint_graph": "graphs", "pre_grad_graphs": "graphs", "post_grad_graphs": "graphs",
    "ir_pre_fusion": "lowering", "ir_post_fusion": "fusion", "fusion": "fusion",
    "output_code": "kernels", "kernel_code": "kernels",
}  # fmt: skip
"""What the program below logs, and the section that shows it."""


def _modules(alias: str) -> list[str]:
    known = REGISTRY.log_alias_to_log_qnames[alias]
    return [known] if isinstance(known, str) else list(known)


def _components() -> list[str]:
    return [alias for alias in REGISTRY.log_alias_to_log_qnames if "." not in alias]


def _release(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def test_every_log_that_torch_registers_is_in_the_table() -> None:
    """One that PyTorch adds has to be placed: in a view, or as text alone."""
    there = {
        name
        for name, row in LOGS.items()
        if _release(row.since) <= installed()
        and (not row.until or installed() <= _release(row.until))
    }
    assert {*REGISTRY.artifact_names, *_components()} == there


def test_the_table_names_sections_that_there_are() -> None:
    assert {row.view for row in LOGS.values()} - {""} <= set(SECTIONS)


def test_a_module_is_of_a_component_that_registers_it() -> None:
    of: dict[str, set[str]] = {}
    for alias in _components():
        for module in _modules(alias):
            of.setdefault(module, set()).add(alias)
    assert {module for module, known in of.items() if component_of(module) not in known} == set()


def breaks(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x) + 1
    if y.sum() > 0:
        y = y.softmax(-1)
    return y.square().mean()


def _facts(logger: logging.Logger) -> tuple[Any, ...]:
    filters = [handler.filters[:] for handler in logger.handlers]
    return logger.level, logger.propagate, list(logger.handlers), filters


def _state() -> dict[str, Any]:
    names = {*REGISTRY.get_log_qnames(), *REGISTRY.get_artifact_log_qnames()}
    loggers = [logging.getLogger(name) for name in sorted(names)]
    told: dict[str, Any] = {
        one.name: (
            one.level,
            one.propagate,
            list(one.handlers),
            [h.filters[:] for h in one.handlers],
        )
        for one in loggers
    }
    return {**told, "artifacts": set(torch_logging.log_state.artifact_names)}


@pytest.fixture(scope="module")
def logged() -> tuple[lab.Recording, dict[str, Any], dict[str, Any]]:
    before = _state()
    x = torch.randn(8, 8, requires_grad=True)
    recording = lab.explore(breaks, x, grad=True, logs=NAMES)
    return recording, before, _state()


@pytest.fixture(scope="module")
def shown(logged: tuple[lab.Recording, Any, Any]) -> tuple[LogView, ...]:
    return build(logged[0]).logs.records


@pytest.mark.parametrize("name", TIED)
def test_a_message_is_tied_to_the_view_that_shows_the_same(
    shown: tuple[LogView, ...], name: str
) -> None:
    own = [one for one in shown if one.name == name]
    assert {one.view for one in own} - {""} == {TIED[name]}
    assert LOGS[name].view == TIED[name]


def test_graphs_and_breaks_are_those_of_the_message(
    logged: tuple[lab.Recording, Any, Any], shown: tuple[LogView, ...]
) -> None:
    recording = logged[0]
    for one in shown:
        if one.entity.startswith("graph:"):
            graph = recording.graphs[int(one.entity.removeprefix("graph:"))]
            assert graph.compile_id == one.compile_id.partition("_")[0]
            assert all(node.name in one.text for node in graph.nodes if node.op == "call_function")
    (broke,) = [one for one in shown if one.name == "graph_breaks"]
    source, line = recording.spans[recording.breaks[0].span].source, breaks.__code__.co_firstlineno
    assert broke.line == f"line:{source}:{line + 2}"


def test_nothing_stays_on(logged: tuple[lab.Recording, Any, Any]) -> None:
    _, before, after = logged
    assert {name: after[name] for name in before} == before
    made = [logging.getLogger(name) for name in after if name not in before]
    assert [one.name for one in made if one.isEnabledFor(logging.DEBUG) and one.propagate] == []


def test_nothing_is_printed_that_was_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    for handler in logging.getLogger("torch._dynamo").handlers:
        monkeypatch.setattr(handler, "stream", out, raising=False)
    recording = lab.explore(torch.sin, torch.randn(3), backend="eager", logs="+dynamo")
    assert any("start tracing" in record.text for record in recording.logs)
    assert "start tracing" not in out.getvalue()


def test_without_being_asked_nothing_is_recorded() -> None:
    assert lab.explore(torch.sin, torch.randn(3), backend="eager").logs == ()


def test_paths_of_the_machine_are_not_in_the_text(logged: tuple[lab.Recording, Any, Any]) -> None:
    texts = "\n".join(record.text for record in logged[0].logs if record.name == "graph_code")
    assert "class GraphModule" in texts
    assert "site-packages" not in texts


def test_an_unknown_log_is_refused_before_anything_runs() -> None:
    with pytest.raises(OptionError, match="is not what TORCH_LOGS takes"):
        lab.explore(torch.sin, torch.randn(3), logs="grapf_code")

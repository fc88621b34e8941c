"""A model by each scheme: made, compared, compiled while it is recorded, and timed in turns."""

from __future__ import annotations

import copy
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import torch
from msgspec import structs

from dynamo_lab.bench.quantization.parts import bytes_of, parts_of
from dynamo_lab.bench.quantization.schemes import (
    Made,
    lifting_pass,
    operator_name,
    quantized,
    saturates,
    torchao_version,
    why_not,
)
from dynamo_lab.bench.recorded_call import Recorded, recorded_call
from dynamo_lab.capture.core.compat import constants_frozen, forget_compiled_code, pre_grad_pass
from dynamo_lab.measure.checks import relative_error
from dynamo_lab.measure.devices import device_of
from dynamo_lab.measure.machine import describe_machine
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.model.quantization.trial import Quantization, SchemeTrial, Stage
from dynamo_lab.record.replay import told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.model.quantization.trial import Scheme
    from dynamo_lab.model.recording import Recording

_STAGES = {"post_grad": "after Inductor's passes"}


def tried(
    model: torch.nn.Module,
    example: tuple[Any, ...],
    schemes: Sequence[Scheme],
    calibration: Sequence[tuple[Any, ...]],
    plan: Plan,
) -> tuple[Quantization, Recorded]:
    """What is found of each scheme, and the recording of each that was compiled."""
    version = torchao_version()
    recorded: Recorded = {}
    calls: dict[str, Callable[[], object]] = {}
    with torch.no_grad():
        expected = model(*example)
    forget_compiled_code()  # once: what is forgotten later would be compiled again when it is timed
    calls["float"] = _call(_compiled(copy.deepcopy(model), is_frozen=True), example)
    with constants_frozen():
        calls["float"]()
    found: list[SchemeTrial] = []
    device = device_of([*model.parameters(), *example])
    for scheme in schemes:
        if problem := why_not(scheme, device.name):
            found.append(SchemeTrial(scheme=scheme, problem=problem))
            continue
        try:
            with pre_grad_pass(lifting_pass) if scheme == "int8" else nullcontext():
                made = quantized(model, example, scheme, calibration)
                trial, call = _trial(made, model, example, scheme, expected, recorded)
        except Exception as error:  # any: what torchao or the compiler cannot do here is told
            found.append(SchemeTrial(scheme=scheme, problem=f"{told(error)}."))
        else:
            found.append(trial)
            calls[scheme] = call
    times = take_turns(calls, device, plan) if plan.rounds else {}
    seconds = {name: one.seconds for name, one in times.items()}
    machine = describe_machine(device.name)
    facts = Quantization(
        title=type(model).__name__,
        torchao=version,
        machine=machine.processor if device.name == "cpu" else machine.device,
        float_bytes=bytes_of(model),
        float_seconds=seconds.get("float", ()),
        schemes=tuple(structs.replace(one, seconds=seconds.get(one.scheme, ())) for one in found),
    )
    return facts, recorded


def _compiled(module: Any, *, is_frozen: bool) -> Any:
    """Compiled under options of its own: what the user compiles never gets its frozen weights."""
    untyped: Any = torch
    return untyped.compile(module, options={"freezing": is_frozen})


def _call(compiled: Callable[..., Any], example: tuple[Any, ...]) -> Callable[[], object]:
    def call() -> object:
        with torch.no_grad():
            return compiled(*example)

    return call


def _trial(
    made: Made,
    model: torch.nn.Module,
    example: tuple[Any, ...],
    scheme: Scheme,
    expected: Any,
    recorded: Recorded,
) -> tuple[SchemeTrial, Callable[[], object]]:
    parts = parts_of(made, model, example)  # before it is compiled: hooks would be guarded
    is_frozen = made.float_graph is not None  # torchao's own tensors are no constants to fold
    call = _call(_compiled(made.module, is_frozen=is_frozen), example)
    with constants_frozen() if is_frozen else nullcontext():
        result, recorded[scheme] = recorded_call(f"{type(model).__name__}, {scheme}", call)
    facts, _ = recorded[scheme]
    trial = SchemeTrial(
        scheme=scheme,
        parts=parts,
        stages=tuple(_stages(made, facts)),
        kernels=tuple(kernel.name for kernel in facts.kernels),
        bytes=bytes_of(made.module),
        error=relative_error(result, expected),
    )
    return trial, call


def _stages(made: Made, recording: Recording) -> list[Stage]:
    """The way to the kernels: of an exported model from its float graph on."""
    found: list[Stage] = []
    if made.float_graph is not None:
        found.append(Stage(name="float graph", operators=_of_graph(made.float_graph)))
        bits = ", activations in 7 bits, as this CPU adds in 16" if saturates() else ""
        found.append(Stage(name=f"with observers, calibrated{bits}", operators=made.observed))
        found.append(Stage(name="quantized graph", operators=_of_graph(made.module)))
    for graph in recording.graphs:
        if graph.stage in _STAGES:
            names = tuple(_short(n.target) for n in graph.nodes if n.op == "call_function")
            found.append(Stage(name=_STAGES[graph.stage], operators=names))
    return found


def _of_graph(graph: Any) -> tuple[str, ...]:
    return tuple(operator_name(node) for node in graph.graph.nodes if node.op == "call_function")


def _short(target: str) -> str:
    return target.removeprefix("aten.").removesuffix(".default").rpartition("quantization.")[2]

"""Checks of generated Triton kernels on the CPU: Triton's interpreter against the operators.

The graph that was lowered runs operator by operator on made-up inputs, which tells what each buffer
should hold. The generated module then runs in a process of its own, where Triton interprets what it
would compile elsewhere (see `interpreting.py`).
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import fx

from dynamo_lab.capture.core.apart import run_apart
from dynamo_lab.capture.targets.lowered import moved
from dynamo_lab.errors import LoweringError

aten = torch.ops.aten
PATIENCE = 600.0
"""Seconds that all kernels of a recording may take: the interpreter is slow."""


@dataclass(frozen=True)
class WrittenModule:
    """A graph after Inductor's passes, the module written for it, and the node of each buffer."""

    graph_module: fx.GraphModule
    code: str
    buffers: Mapping[str, str]
    constants: Mapping[str, Any]


def describe_written(lowering: Any, code: str) -> WrittenModule:
    """What is kept of a lowering, a GraphLowering of Inductor's, that wrote this module."""
    origins = {name: _origin(buffer) for name, buffer in lowering.name_to_buffer.items()}
    return WrittenModule(
        graph_module=lowering.module,
        code=code,
        buffers={name: node for name, node in origins.items() if node},
        constants=dict(lowering.constants),
    )


def _origin(buffer: Any) -> str:
    """The node whose value a buffer holds; one that holds part of a value has none."""
    node = getattr(buffer, "origin_node", None)
    return "" if node is None else node.name


def check(
    graphs: Sequence[WrittenModule], patience: float = PATIENCE
) -> list[list[dict[str, Any]]]:
    """For each graph what the interpreter makes of its kernels: counts, errors, and a problem.

    It may take `patience` seconds for all of them.

    Raises:
        LoweringError: the interpreter's process ended without an answer.
    """
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_interpreted_") as folder:
        torch.save([_work(written) for written in graphs], Path(folder) / "work.pt")
        return _interpreted(Path(folder), patience)


def is_random(node: fx.Node) -> bool:
    """Whether a node draws random numbers, which two runs do not share."""
    tags = getattr(node.target, "tags", ())
    return torch.Tag.nondeterministic_seeded in tags or "inductor_random" in str(node.target)


def _work(written: WrittenModule) -> dict[str, Any]:
    """What the interpreter's process needs to know of a graph; or why it cannot be checked."""
    try:
        return _described(written)
    except Exception as error:  # made-up numbers do not fit every operator
        told = f"eager cannot run on made-up inputs: {type(error).__name__}: {error}"
        return {"code": written.code, "problem": " ".join(told.split())[:200]}


def _described(written: WrittenModule) -> dict[str, Any]:
    module = moved(written.graph_module, "cpu")
    inputs = _inputs(module)
    values = Eager(module).values(inputs)
    expected = {
        buffer: values[node]
        for buffer, node in written.buffers.items()
        if isinstance(values.get(node), torch.Tensor)
    }
    return {
        "code": written.code,
        "inputs": inputs,
        "expected": expected,
        "constants": dict(written.constants),
        "random": any(map(is_random, module.graph.nodes)),
    }


def _interpreted(folder: Path, patience: float) -> list[list[dict[str, Any]]]:
    environment = {**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "dynamo_lab.capture.kernels.interpreting",
        str(folder),
    ]
    ended = run_apart(command, folder, patience, environment=environment)
    if ended.by == "time":
        raise LoweringError(
            f"Triton's interpreter did not finish within {patience:.0f} s: check a smaller program."
        )
    answer = folder / "rows.json"
    if not answer.exists():
        said = " ".join(ended.said.split())[-300:] or f"exit code {ended.code}"
        raise LoweringError(f"Triton's interpreter ended without an answer: ...{said}")
    return json.loads(answer.read_text())


def _inputs(module: fx.GraphModule) -> list[Any]:
    """Made-up values for the inputs of a graph, in the layouts that it was lowered for."""
    generator = torch.Generator().manual_seed(0)
    found = [node.meta.get("val") for node in module.graph.nodes if node.op == "placeholder"]
    return [_made_up(value, generator) for value in found]


def _made_up(value: Any, generator: torch.Generator) -> Any:
    if not isinstance(value, torch.Tensor):
        return _number(value)
    size = [_number(s) for s in value.size()]
    stride = [_number(s) for s in value.stride()]
    length = 1 + sum((n - 1) * step for n, step in zip(size, stride, strict=True)) * (0 not in size)
    if value.dtype.is_floating_point or value.dtype.is_complex:
        flat = torch.randn(length, generator=generator)
    else:  # small enough to be an index into almost anything
        flat = torch.randint(0, 2, (length,), generator=generator)
    return flat.to(value.dtype).as_strided(size, stride)


def _number(size: Any) -> Any:
    node = getattr(size, "node", None)
    return size if node is None else node.hint


class Eager(fx.Interpreter):
    """Runs a graph on the CPU and keeps the value of each node, as it was when it was made."""

    def __init__(self, module: fx.GraphModule) -> None:
        super().__init__(module, garbage_collect_values=False)
        self._kept: dict[str, Any] = {}

    def values(self, inputs: Sequence[Any]) -> dict[str, Any]:
        """The values of all nodes, by name."""
        with torch.no_grad():
            self.run(*(i.clone() if isinstance(i, torch.Tensor) else i for i in inputs))
        return self._kept

    def run_node(self, n: fx.Node) -> Any:
        """Run one node, on operators that the CPU has."""
        value = super().run_node(n)
        self._kept[n.name] = value.clone() if isinstance(value, torch.Tensor) else value
        return value

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """Attention kernels of GPUs become mathematics; all else runs as it is."""
        if stand_in := STAND_INS.get(target):
            return stand_in(*args, **kwargs)
        return super().call_function(target, args, kwargs)


def efficient_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    bias: torch.Tensor | None,
    keeps: bool,
    dropout: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> tuple[torch.Tensor, ...]:
    """What `aten._scaled_dot_product_efficient_attention` gives on a GPU, without dropout."""
    rows, sums = _attention(query, key, value, bias, is_causal, scale)
    counter = torch.zeros((), dtype=torch.int64)
    # the GPU's kernel aligns the sums
    padded = torch.nn.functional.pad(sums, (0, -sums.size(-1) % 32)) if keeps else sums[..., :0]
    return rows, padded, counter, counter.clone()


def flash_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    dropout: float = 0.0,
    is_causal: bool = False,
    debug: bool = False,
    scale: float | None = None,
) -> tuple[Any, ...]:
    """What `aten._scaled_dot_product_flash_attention` gives on a GPU, without dropout."""
    rows, sums = _attention(query, key, value, None, is_causal, scale)
    state = torch.zeros(2, dtype=torch.uint64)
    lengths = (query.size(2), key.size(2))
    return rows, sums, None, None, *lengths, state, torch.zeros((), dtype=torch.uint64), rows[:0]


def cudnn_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    bias: torch.Tensor | None,
    keeps: bool,
    dropout: float = 0.0,
    is_causal: bool = False,
    debug: bool = False,
    scale: float | None = None,
) -> tuple[Any, ...]:
    """What `aten._scaled_dot_product_cudnn_attention` gives on a GPU, without dropout."""
    rows, sums = _attention(query, key, value, bias, is_causal, scale)
    counter = torch.zeros((), dtype=torch.int64)
    lengths = (query.size(2), key.size(2))
    return rows, sums.unsqueeze(-1), None, None, *lengths, counter, counter.clone(), None


def _attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    bias: torch.Tensor | None,
    is_causal: bool,
    scale: float | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The result, and the logarithm of each row's sum of exponentials.

    As on a GPU, memory holds rows of (batch, sequence, heads, size).
    """
    scores = query @ key.transpose(-1, -2) * (scale or query.size(-1) ** -0.5)
    if bias is not None:
        scores = scores + bias
    if is_causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    out = (scores.softmax(-1) @ value).transpose(1, 2).contiguous().transpose(1, 2)
    return out, scores.logsumexp(-1).float()


STAND_INS: dict[Any, Callable[..., Any]] = {
    aten._scaled_dot_product_efficient_attention.default: efficient_attention,
    aten._scaled_dot_product_flash_attention.default: flash_attention,
    aten._scaled_dot_product_cudnn_attention.default: cudnn_attention,
}
"""Operators that only GPUs have, and what computes the same on a CPU."""

"""A captured graph as a Python file of its own: its code, its inputs, and a check against eager."""

from __future__ import annotations

import base64
import dataclasses
import re
import sys
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import fx

from dynamo_lab.capture.core.compat import forget_compiled_code, settings_kept, without_caches
from dynamo_lab.errors import BisectionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LITERAL = 16  # elements that are written as a list
_LONGEST = 1 << 20  # characters of values that cannot be random

_IMPORTS = """import math
import operator

import torch
from torch import device, inf, nan
"""

_CHECK = """

def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for item in value for t in tensors(item)] if isinstance(value, (tuple, list)) else []


def run(fn):
    torch.manual_seed(0)
    args = inputs()
    found = tensors(fn(*args))
    total = None
    for t in found:
        if t.requires_grad:
            flat = t.reshape(-1)
            flat = torch.view_as_real(flat).reshape(-1) if flat.is_complex() else flat
            weights = 1 + torch.arange(flat.numel(), device=flat.device).mul(0.7).cos() / 2
            part = (flat.float() * weights).sum()
            total = part if total is None else total + part
    if total is not None:
        total.backward()
    gradients = [a.grad for a in tensors(args) if a.is_leaf and a.grad is not None]
    return [t.detach().clone() for t in [*found, *tensors(args), *gradients]]


TOLERANCES = {
    torch.float16: (2e-3, 1e-4),
    torch.bfloat16: (3.2e-2, 1e-3),
    torch.float32: (1.3e-5, 1e-4),
    torch.float64: (1e-6, 1e-6),
}

graph = Graph()
eager = run(graph)
compiled = run(torch.compile(graph, dynamic=DYNAMIC))
assert len(eager) == len(compiled), f"{len(compiled)} tensors, eager has {len(eager)}"
for expected, actual in zip(eager, compiled):
    rtol, atol = TOLERANCES.get(expected.dtype, (0.0, 0.0))
    torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
"""


@dataclass(frozen=True)
class Input:
    """An argument: a number, or a tensor by its layout; `values` where they are not random."""

    value: Any = None
    shape: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    dtype: torch.dtype | None = None
    device: str = "cpu"
    grad: bool = False
    values: torch.Tensor | None = None
    low: int = 0
    high: int = 1

    @classmethod
    def of(cls, value: Any) -> Input:
        """Of an argument as it was."""
        if not isinstance(value, torch.Tensor):
            return cls(value=value)
        plain = value.detach()
        whole = not (plain.is_floating_point() or plain.is_complex()) and plain.numel() > 0
        return cls(
            shape=tuple(plain.shape),
            stride=plain.stride(),
            dtype=plain.dtype,
            device=str(plain.device),
            grad=value.requires_grad,
            values=plain,
            low=int(plain.min()) if whole else 0,
            high=int(plain.max()) + 1 if whole else 1,
        )

    def text(self) -> str:
        """An expression that makes it."""
        if self.dtype is None:
            return repr(self.value)
        made = self._laid_out(self._made())
        made += f".to({self.device!r})" if self.device != "cpu" else ""
        return made + (".requires_grad_()" if self.grad else "")

    def _made(self) -> str:
        if self.values is not None:
            return _stored(self.values)
        if self.dtype == torch.bool:
            return f"torch.rand({self.shape}).gt(0.5)"
        assert self.dtype is not None
        if self.dtype.is_floating_point or self.dtype.is_complex:
            return f"torch.randn({self.shape}, dtype={self.dtype})"
        return f"torch.randint({self.low}, {self.high}, {self.shape}).to({self.dtype})"

    def _laid_out(self, made: str) -> str:
        """The same with its strides, if rows do not lie one after another."""
        if self.stride == torch.empty(self.shape, device="meta").stride():
            return made
        laid = f"torch.empty_strided({self.shape}, {self.stride}, dtype={self.dtype})"
        return f"{laid}.copy_({made})"

    def sized(self, size: int, other: int) -> Input:
        """With another size wherever it has this one; its numbers are then random."""
        if self.dtype is None or size not in self.shape:
            return self
        shape = tuple(other if n == size else n for n in self.shape)
        order = sorted(range(len(shape)), key=lambda at: self.stride[at])
        stride, step = [0] * len(shape), 1
        for at in order:
            stride[at], step = step, step * shape[at]
        return dataclasses.replace(self, shape=shape, stride=tuple(stride), values=None)


@dataclass(frozen=True)
class GraphFile:
    """The parts of the file."""

    comments: tuple[str, ...]
    code: str
    attributes: tuple[tuple[str, Input], ...]
    inputs: tuple[Input, ...]
    imports: tuple[str, ...] = ()

    def text(self) -> str:
        """The whole file."""
        about = "".join(f"# {line}\n" for text in self.comments for line in text.splitlines())
        own = [f"        self.{name} = {value.text()}\n" for name, value in self.attributes]
        init = (
            f"    def __init__(self):\n        super().__init__()\n{''.join(own)}\n" if own else ""
        )
        made = "".join(f"        {value.text()},\n" for value in self.inputs)
        forward = "".join(f"    {line}\n" if line else "\n" for line in self.code.splitlines())
        is_dynamic = any(type(one.value) is int for one in self.inputs if one.dtype is None)
        check = _CHECK.replace("DYNAMIC", str(is_dynamic or None))
        seeded = _SEEDED if _DRAWS.search(self.code) else ""
        imports = "".join(f"{line}\n" for line in self.imports)
        stored = _UNPACK if "stored(" in made + init else ""
        return (
            f"{about}{_IMPORTS}{imports}{stored}{seeded}\n\nclass Graph(torch.nn.Module):\n"
            f"{init}{forward}\n\ndef inputs():\n    return [\n{made}    ]\n{check}"
        )

    def run(self) -> BaseException | None:
        """What the file raises when it is run in this process, from a state without its traces."""
        forget_compiled_code()
        random = torch.get_rng_state()
        try:
            with without_caches(), settings_kept():
                exec(compile(self.text(), "<reproducer>", "exec"), {"__name__": "__main__"})
        except Exception as error:
            return error
        finally:
            torch.set_rng_state(random)
            forget_compiled_code()
        return None

    def runs_in_eager(self) -> bool:
        """Whether the graph runs on these inputs, without a compilation."""
        head, _, _ = self.text().partition("\ncompiled = ")
        random = torch.get_rng_state()
        try:
            with settings_kept():
                exec(compile(head, "<reproducer>", "exec"), {"__name__": "__main__"})
        except Exception:
            return False
        finally:
            torch.set_rng_state(random)
        return True

    def sizes(self) -> set[int]:
        """The sizes of its inputs that can be made smaller."""
        return {n for one in self.inputs for n in one.shape if n > 2}

    def with_random(self) -> GraphFile:
        """With random numbers of the same kind for all inputs."""
        return self._with(lambda one: dataclasses.replace(one, values=None))

    def with_ones(self) -> GraphFile:
        """The same, with small indices."""
        return self._with(lambda one: dataclasses.replace(one, low=0, high=2))

    def with_size(self, size: int, other: int) -> GraphFile:
        """With another size wherever there is this one: in inputs, and in the code."""
        code = re.sub(rf"(?<![\w.]){size}(?![\w.])", str(other), self.code)
        return dataclasses.replace(self._with(lambda one: one.sized(size, other)), code=code)

    def _with(self, change: Any) -> GraphFile:
        return dataclasses.replace(self, inputs=tuple(change(one) for one in self.inputs))


_DRAWS = re.compile(r"dropout|rand|bernoulli|normal|multinomial|poisson|exponential|uniform")
_SEEDED = """
import torch._inductor.config

# compiled code then draws the random numbers that eager draws
torch._inductor.config.fallback_random = True
"""
_UNPACK = """import base64
import zlib


def stored(text, dtype, shape):
    data = bytearray(zlib.decompress(base64.b64decode(text)))
    return torch.frombuffer(data, dtype=dtype).reshape(shape).clone()
"""


def _stored(values: torch.Tensor) -> str:
    shape, kind = tuple(values.shape), values.dtype
    if values.numel() <= _LITERAL and not kind.is_complex:
        if not values.numel():
            return f"torch.empty({shape}, dtype={kind})"
        return f"torch.tensor({values.tolist()}, dtype={kind})"
    raw = values.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    text = base64.b64encode(zlib.compress(raw, 9)).decode()
    if len(text) > _LONGEST:
        return f"torch.randn({shape}).to({kind})"
    return f"stored({text!r}, {kind}, {shape})"


def graph_file(module: fx.GraphModule, inputs: Sequence[Any], comments: Sequence[str]) -> GraphFile:
    """A captured graph with these arguments.

    Raises:
        BisectionError: it holds what cannot be written as text.
    """
    written = module.graph.python_code("self")
    attributes = tuple(_attributes(module))
    imports = tuple(_imports(written.globals))
    code = _plain(written.src)
    return GraphFile(
        tuple(comments), code, attributes, tuple(Input.of(value) for value in inputs), imports
    )


def _plain(src: str) -> str:
    """The code of `forward` alone, without what frees values early or says where it is from."""
    lines = [line for line in src.splitlines() if line.strip() and not line.strip().startswith("#")]
    code = "\n".join(lines)
    code = re.sub(
        r";\s+\w+ = None(?:;\s+\w+ = None)*", "", re.sub(r"  # .*$", "", code, flags=re.M)
    )
    return re.sub(r"((?:\w+ = )+)None$", "", code, flags=re.M)


def _attributes(module: fx.GraphModule) -> Iterator[tuple[str, Input]]:
    """What the graph itself holds: constants, written with it."""
    for target in dict.fromkeys(n.target for n in module.graph.nodes if n.op == "get_attr"):
        value = getattr(module, str(target), None)
        if not isinstance(value, torch.Tensor):
            raise BisectionError(f"The graph holds {target}, which cannot be written as text.")
        yield str(target), Input.of(value)
    if any(node.op == "call_module" for node in module.graph.nodes):
        raise BisectionError("The graph calls a module, which cannot be written as text.")


_KNOWN = {"torch", "device", "inf", "nan", "math", "operator", "NoneType", "fx_pytree", "pytree"}


def _imports(names: dict[str, Any]) -> Iterator[str]:
    """Where functions that are not PyTorch's own come from."""
    for name, value in names.items():
        if name in _KNOWN:
            continue
        module = getattr(value, "__module__", None)
        own = getattr(value, "__qualname__", "")
        if hasattr(value, "__path__") or type(value) is type(sys):
            yield f"import {value.__name__} as {name}"
        elif module and own and "<" not in own and "." not in own:
            yield f"from {module} import {own} as {name}"
        else:
            raise BisectionError(f"The graph calls {name}, which cannot be imported by name.")

"""A process that runs generated modules on the CPU, their Triton kernels in Triton's interpreter.

    TRITON_INTERPRET=1 python -m dynamo_lab.capture.kernels.interpreting FOLDER

FOLDER holds `work.pt` from `interpreted.py`; the answer is `rows.json` beside it. Before each
kernel its inputs are right, since what a kernel wrote is replaced by what it should have written
once the two were compared: so each kernel is judged for itself.
"""

import ast
import json
import math
import re
import sys
import types
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from dynamo_lab.capture.core.apart import limit_here
from dynamo_lab.capture.kernels import hooks
from dynamo_lab.capture.kernels.interpreted import STAND_INS
from dynamo_lab.capture.kernels.libdevice import Libdevice, NotInterpretedError

MODULE = "<generated module>"
_KERNELS = re.compile(r"^(\w+) = async_compile\.triton", re.MULTILINE)
_ALIAS = re.compile(r"^ *(\w+) = reinterpret_tensor\((\w+),.*# alias$", re.MULTILINE)
_STORES = re.compile(r"tl\.(?:store|atomic_\w+)\((\w+)")
_LAUNCHED = 4096  # elements that one program of a launch handles at most


class Check:
    """The kernels of one module, what their buffers should hold, and what was found."""

    def __init__(self, work: dict[str, Any]) -> None:
        self.work = work
        self.rows: dict[str, dict[str, Any]] = {}
        code = work["code"]
        self.aliases = dict(_ALIAS.findall(code))
        for operator, stand_in in STAND_INS.items():
            code = code.replace(f"torch.ops.{operator}", stand_in.__name__)
        self.tree = ast.parse(code, MODULE)
        self.arguments = _arguments(self.tree)
        self.assigned = _assigned(self.tree)
        self.layouts: dict[str, tuple[Any, Any]] = {}

    def run(self) -> list[dict[str, Any]]:
        """Run the module and return a row for each kernel."""
        if problem := self.work.get("problem"):
            return self._not_run(problem)
        try:
            self._call()
        except Exception as error:  # what stands between the kernels cannot run here
            self._not_run(f"the module stopped before it: {_told(error)[:200]}")
        return [{**row, "random": self.work["random"]} for row in self.rows.values()]

    def _not_run(self, problem: str) -> list[dict[str, Any]]:
        """Rows for the kernels that have none yet."""
        for name in _KERNELS.findall(self.work["code"]):
            if name not in self.rows:
                self.rows[name] = {**row_of(name), "problem": problem, "random": False}
        return list(self.rows.values())

    def _call(self) -> None:
        namespace = self._namespace()
        inputs = [_copy(i) if isinstance(i, torch.Tensor) else i for i in self.work["inputs"]]
        namespace["call"](inputs)

    def _namespace(self) -> dict[str, Any]:
        _without_gpu()
        loader = hooks.ASYNC_COMPILE.get()
        loader.triton = lambda _, name, source, *args, **kwargs: _Kernel(self, name, source)
        loader.wait = lambda *_: None
        namespace: dict[str, Any] = {"__name__": "generated"}
        body = [node for node in self.tree.body if not _imports_stream(node)]
        exec(compile(ast.Module(body, []), MODULE, "exec"), namespace)
        namespace.update(
            self.work["constants"],
            **{stand_in.__name__: stand_in for stand_in in STAND_INS.values()},
            device=lambda *_, **__: torch.device("cpu"),
            get_raw_stream=lambda *_: 0,
            empty_strided_cuda=self._allocate,
        )
        return namespace

    def row(self, name: str) -> dict[str, Any]:
        """What is known of a kernel."""
        return self.rows.setdefault(name, row_of(name))

    def judge(self, name: str, buffers: dict[str, torch.Tensor]) -> None:
        """Compare what a kernel wrote with what it should have, and put that in its place."""
        row = self.row(name)
        row["calls"] += 1
        for buffer, value in buffers.items():
            expected = self._expected(buffer, value)
            if expected is None:
                continue
            if not self.work["random"]:
                compare(row, value, expected)
            value.copy_(expected)

    def _expected(self, buffer: str, value: torch.Tensor) -> torch.Tensor | None:
        """What a buffer should hold, or the part of another buffer that it is a view of."""
        whole = self.work["expected"].get(buffer)
        if whole is not None and whole.numel() == value.numel():
            return whole.reshape(value.shape).to(value.dtype)
        owner = self.aliases.get(buffer, "")
        whole, (size, stride) = self.work["expected"].get(owner), self.layouts.get(owner, ((), ()))
        if whole is None or whole.numel() != math.prod(size):
            return None
        laid_out = torch.empty_strided(size, stride, dtype=value.dtype)
        laid_out.copy_(whole.reshape(size))
        return laid_out.as_strided(value.size(), value.stride(), value.storage_offset())

    def _allocate(self, size: Any, stride: Any, dtype: torch.dtype) -> torch.Tensor:
        """A new buffer, whose layout is remembered under its name."""
        name = self.assigned.get(sys._getframe(1).f_lineno, "")
        self.layouts[name] = (size, stride)
        return torch.empty_strided(size, stride, dtype=dtype)


class _Kernel:
    """Stands for a compiled kernel: runs its source in the interpreter."""

    def __init__(self, check: Check, name: str, source: str) -> None:
        self._check, self._name = check, name
        self._written = set(_STORES.findall(source))  # a kernel may read an in_out_ptr alone
        self._problem = ""
        self._function: Any = None
        self._meta: dict[str, Any] = {}
        try:
            self._function, self._meta = _loaded(name, source)
        except Exception as error:
            self._problem = f"its source was not read: {type(error).__name__}: {error}"

    def run(self, *args: Any, stream: Any = None, **_: Any) -> None:
        """Interpret one launch."""
        line = sys._getframe(1).f_lineno
        buffers = self._check.arguments.get(line, [])
        if not self._problem:
            try:
                _launch(self._function, self._meta, args)
            except Exception as error:
                self._problem = _told(error)
        parameters = self._function.arg_names if self._function else ()
        stored = {
            buffer: value
            for parameter, buffer, value in zip(parameters, buffers, args, strict=False)
            if isinstance(value, torch.Tensor) and parameter in self._written
        }
        row = self._check.row(self._name)
        row["problem"] = row["problem"] or self._problem
        self._check.judge(self._name, stored)


def row_of(name: str) -> dict[str, Any]:
    """What is known of a kernel before it ran."""
    return {"name": name, "calls": 0, "compared": 0, "differs": 0, "error": 0.0, "problem": ""}


def compare(row: dict[str, Any], value: torch.Tensor, expected: torch.Tensor) -> None:
    """Count a buffer, and keep the largest difference relative to the largest value."""
    row["compared"] += 1
    if not value.dtype.is_floating_point:
        row["differs"] += not torch.equal(value, expected)
        return
    a, b = value.double(), expected.double()
    scale = b[b.isfinite()].abs().max().item() if b.isfinite().any() else 1.0
    finite = (a - b)[a.isfinite() & b.isfinite()].abs()
    error = finite.max().item() / (scale or 1.0) if finite.numel() else 0.0
    row["error"] = max(row["error"], error)
    precision = max(torch.finfo(value.dtype).eps * 64, 1e-5)
    alike = all(
        torch.equal(is_such(a), is_such(b))
        for is_such in (torch.isnan, torch.isposinf, torch.isneginf)
    )
    row["differs"] += error > precision or not alike


def _told(error: BaseException) -> str:
    """Why a kernel was not interpreted: what the interpreter lacks, or what went wrong."""
    while error.__cause__ is not None and not isinstance(error, NotInterpretedError):
        error = error.__cause__
    if isinstance(error, NotInterpretedError):
        return f"the interpreter lacks {error}"
    return f"{type(error).__name__}: {error}"


def _loaded(name: str, source: str) -> tuple[Any, dict[str, Any]]:
    """The kernel as a function for the interpreter, and what Inductor says of its launch."""
    meta: dict[str, Any] = {}

    def heuristic(**given: Any) -> Any:
        meta.update(given)
        return lambda function: function

    namespace: dict[str, Any] = {"__name__": name, "__file__": MODULE}
    kinds = ("pointwise", "reduction", "persistent_reduction", "template", "cooperative_reduction")
    stand_in = types.SimpleNamespace(**dict.fromkeys((*kinds, "split_scan", "foreach"), heuristic))
    tree = ast.parse(source)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in imports:
        exec(compile(ast.Module([node], []), "<imports>", "exec"), namespace)
    helpers = hooks.TRITON_HELPERS.get()
    helpers.set_driver_to_gpu = lambda: None
    helpers.libdevice = Libdevice()
    namespace.update(triton_heuristics=stand_in, libdevice=helpers.libdevice)
    path = Path(sys.argv[1]) / f"{name}.py"  # the interpreter reads the source of what it runs
    rest = "".join(f"{ast.unparse(n)}\n" for n in tree.body if n not in imports)
    path.write_text(rest)
    exec(compile(rest, str(path), "exec"), namespace)
    meta["grids"] = hooks.GRIDS.get()
    return namespace[name], meta


def _launch(function: Any, meta: dict[str, Any], args: tuple[Any, ...]) -> None:
    names = function.arg_names
    given = dict(zip(names, args, strict=False))
    numels = {n: v for n, v in given.items() if n.endswith("numel")}
    hints = {axis.rstrip("_"): size for axis, size in meta.get("size_hints", {}).items()}
    blocks = {
        name: _block(name, hints) for name in names if name.endswith("BLOCK") and name not in given
    }
    inductor = meta["inductor_meta"]
    grid = meta["grids"].from_meta(inductor, blocks).eval_slow({**numels, **blocks})
    function[grid](*args, **blocks)


def _block(name: str, hints: dict[str, int]) -> int:
    """How many elements along an axis a program takes: large, since programs run one by one."""
    axis = name.removesuffix("BLOCK").rstrip("_").lower()
    share = max(1, _LAUNCHED // 4 ** max(0, len(hints) - 1))
    return max(1, min(hints.get(axis, 1), share))


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    """A copy in the same layout, also where elements share memory."""
    length = tensor.untyped_storage().nbytes() // tensor.element_size()
    flat = tensor.as_strided((length,), (1,), 0).clone()
    return flat.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())


def _arguments(tree: ast.Module) -> dict[int, list[str]]:
    """For each line that calls a kernel, the buffers that it passes, in order."""
    found: dict[int, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "run":
            names = [_first_name(argument) for argument in node.args]
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[line] = names
    return found


def _assigned(tree: ast.Module) -> dict[int, str]:
    """The name that is assigned to on each line."""
    return {
        node.lineno: node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def _first_name(argument: ast.expr) -> str:
    """'buf3' of both `buf3` and `reinterpret_tensor(buf3, ...)`."""
    if isinstance(argument, ast.Call) and argument.args:
        return _first_name(argument.args[0])
    return argument.id if isinstance(argument, ast.Name) else ""


def _imports_stream(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and any("RawStream" in a.name for a in node.names)


def _without_gpu() -> None:
    """What a module does with its device, done with none."""
    cuda: Any = torch.cuda
    cuda._DeviceGuard = lambda *_: nullcontext()
    cuda.set_device = lambda *_: None


def main() -> None:
    """Check the modules of the folder named, and write what was found."""
    folder = Path(sys.argv[1])
    limit_here()
    works = torch.load(folder / "work.pt", weights_only=False)  # written by our own parent
    (folder / "rows.json").write_text(json.dumps([Check(work).run() for work in works]))


if __name__ == "__main__":
    main()

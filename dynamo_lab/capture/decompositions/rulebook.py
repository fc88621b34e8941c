"""Which rule decomposes an operator towards a set, and where that rule is defined."""

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from dynamo_lab.capture.core.hooks import OPERATORS
from dynamo_lab.capture.decompositions import hooks
from dynamo_lab.capture.decompositions.natives import LIST, ROOT, native_functions
from dynamo_lab.model.decompositions import End, Lowering, Rule, RuleKind, Target

Function = Callable[..., Any]


class Rulebook:
    """The rules and the members of one set, as the installed release has them."""

    def __init__(self, to: Target) -> None:
        self.to: Target = to
        self._table = _TABLES[to]()

    def __contains__(self, op: Any) -> bool:
        """Whether a function is registered for the operator."""
        return op in self._table

    def rule(self, op: Any) -> Function | None:
        """The rule that fires for this operator; None where it is left as it is."""
        if not isinstance(op, OPERATORS.OpOverload):
            return op  # a function is its own rule
        found = self._table.get(op)
        if found is not None:
            return found
        if op.namespace in _OPAQUE or (self.to == "core_aten" and is_core(op)):
            return None
        if op._can_decompose():
            return op.decompose
        return _reference(op) if self.to == "prims" else None

    def end(self, op: Any) -> End:
        """Why an operator for which no rule fires stays."""
        match self.to:
            case "core_aten":
                return "set" if is_core(op) else "no rule"
            case "prims":
                return "set" if op.namespace in _OPAQUE else "no rule"
            case "inductor":
                return "set" if lowering_of(op) == "code" else "extern"


_OPAQUE = frozenset({"prims", "rngprims", "debugprims", "inductor_prims"})
"""The lowest operators: nothing is below a prim."""


def is_core(op: Any) -> bool:
    """Whether PyTorch counts the operator to core ATen."""
    return torch.Tag.core in op.tags


def lowering_of(op: Any) -> Lowering:
    """Whether Inductor generates code for the operator, or calls an existing kernel.

    It also calls one for an operator that has no lowering, and says so with a warning.
    """
    lowerings = hooks.LOWERINGS.get()
    found = lowerings.get(op) or lowerings.get(op.overloadpacket)
    if found is None:
        return "none"
    return "extern" if getattr(found, "_is_fallback_handler", False) else "code"


def _core_table() -> Mapping[Any, Function]:
    table = hooks.CORE_TABLE.get()()
    # asked itself, it first looks through every namespace for composite operators
    itself = hooks.CORE_TABLE_ITSELF.of(table)
    return table if itself is None else itself


def _inductor_table() -> Mapping[Any, Function]:
    return hooks.INDUCTOR_TABLE.get()()


def whole_table() -> Mapping[Any, Function]:
    """Every rule that PyTorch has, by overload: `torch._decomp` with `torch._refs`."""
    hooks.REFERENCES.get()  # importing them fills the table
    return hooks.WHOLE_TABLE.get()


def rules_of_lists() -> dict[Any, Function]:
    """ATen's own rules of operators on lists of tensors: the operator on one tensor, for each."""
    key = hooks.OVER_LISTS_KEY.get()
    if key is None:
        return {}
    names = {full.partition(".")[0].removeprefix("aten::") for full in hooks.ALL_OPERATORS.get()()}
    packets = (getattr(torch.ops.aten, one, None) for one in names if one.startswith("_foreach_"))
    overloads = (getattr(one, each) for one in packets if one for each in one.overloads())
    return {
        op: functools.partial(op._op_dk, key)
        for op in overloads
        if not op._schema.is_mutable and op.has_kernel_for_dispatch_key(key)
    }


_TABLES: dict[Target, Callable[[], Mapping[Any, Function]]] = {
    "core_aten": _core_table,
    "inductor": _inductor_table,
    "prims": whole_table,
}


def _reference(op: Any) -> Function | None:
    """The function of `torch._refs` for an operator that it is not registered for."""
    if op.namespace != "aten" or op._overloadname not in ("default", "Tensor", "int"):
        return None
    name = op.overloadpacket.__name__
    for row in (hooks.REFERENCES, *hooks.OTHER_REFERENCES):
        module = row.get()
        if name in module.__all__:
            return getattr(module, name)
    return None


def kind_of(rule: Function) -> RuleKind:
    """The kind of a rule from a table: tables also list kernels of C++ and references."""
    if _kernel(rule) is not None:
        return "composite"
    module = getattr(inspect.unwrap(rule), "__module__", "") or ""
    return "reference" if module.startswith("torch._refs") else "registered"


def _kernel(rule: Function) -> Any:
    """The operator whose own kernel this table entry runs, or None."""
    if isinstance(rule, functools.partial):
        return rule.keywords.get("kernel")
    return getattr(rule, "__self__", None) if getattr(rule, "__name__", "") == "decompose" else None


def describe(rule: Function, op: Any) -> Rule:
    """The rule as a fact: its name, where it is written, and its text."""
    if rule is op:
        return _written(rule, "function")
    kind = kind_of(rule)
    if kind != "composite":
        return _written(rule, kind)
    python = op.py_kernels.get(hooks.COMPOSITE_KEY.get())
    return _written(python, kind) if python else _native(str(op))


@functools.cache
def _native(operator: str) -> Rule:
    """A kernel in C++: the installed release has its entry in ATen's list, not its text."""
    namespace, _, name = operator.removesuffix(".default").partition(".")
    known = native_functions().get(name) if namespace == "aten" else None
    if known is None:
        return Rule(kind="composite", name=operator)
    line, text = known
    return Rule(kind="composite", name=operator, file=short(str(LIST)), line=line, text=text)


@functools.cache
def _written(rule: Function, kind: RuleKind) -> Rule:
    function: Any = inspect.unwrap(rule)
    if isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__qualname__", type(function).__name__)
    try:
        lines, line = inspect.getsourcelines(function)
        file = inspect.getsourcefile(function) or ""
    except (OSError, TypeError):  # made at run time, or written in C
        return Rule(kind=kind, name=name)
    return Rule(kind=kind, name=name, file=short(file), line=line, text="".join(lines).rstrip())


def short(file: str) -> str:
    """The path from the folder that PyTorch is installed in: "torch/_refs/__init__.py"."""
    path = Path(file)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else file

"""The nodes of a logged graph: each statement of its text as an operator with inputs."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dynamo_lab.capture.traces.values import value_of
from dynamo_lab.model.graphs import Value

_LONGEST_ARGUMENTS = 400  # as in a live recording
_NAME = re.compile(r"[A-Za-z_]\w*")
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift",
    ast.RShift: "rshift", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor", ast.Eq: "eq",
    ast.NotEq: "ne", ast.Lt: "lt", ast.Gt: "gt", ast.LtE: "le", ast.GtE: "ge", ast.Is: "is_",
    ast.IsNot: "is_not", ast.In: "contains", ast.UAdd: "pos", ast.USub: "neg",
    ast.Invert: "invert", ast.Not: "not_",
}  # fmt: skip


class Op(NamedTuple):
    """A node on its way."""

    name: str
    op: str
    target: str
    arguments: str
    inputs: tuple[int, ...]
    value: Value
    line: int


class Nodes:
    """Reads the statements of a `forward`. Each is one node, or says nothing."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self.ops: list[Op] = []
        self._known: dict[str, int] = {}
        self._pending: tuple[str, str, tuple[int, ...], ast.stmt] | None = None
        self._unnamed = 0
        self._encoded = 0, b""
        self.unread: list[str] = []

    def read(self, function: ast.FunctionDef) -> None:
        """All nodes of the function."""
        arguments = function.args
        every = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs]
        for argument in every:
            if argument is not None and argument.arg not in ("self", "primals", "tangents"):
                self._add(argument.arg, "placeholder", argument.arg, argument, argument.annotation)
        for statement in function.body:
            self._statement(statement)
        self._settle()

    def _add(
        self, name: str, op: str, target: str, at: ast.AST, annotation: ast.expr | None = None,
        arguments: str = "", inputs: Sequence[int] = (),
    ) -> None:  # fmt: skip
        self._known[name] = len(self.ops)
        if len(arguments) > _LONGEST_ARGUMENTS:
            arguments = f"{arguments[: _LONGEST_ARGUMENTS - 1]}…"
        line = getattr(at, "lineno", 0)
        self.ops.append(Op(name, op, target, arguments, tuple(inputs), value_of(annotation), line))

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Return(value=value):
                self._settle()
                self._output(value, statement)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
                self._add(name, "placeholder", name, statement, annotation)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value) if (
                value
            ):
                self._node(name, value, annotation, statement)
            case ast.Assign(value=ast.Constant(value=None)):
                pass  # a value is let go
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._node(name, value, None, statement)
            case ast.Assign(targets=[ast.Tuple(elts=elements)], value=value):
                self._flattened(elements, value, statement)
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                text = (
                    f"{self._text(target.value)}, {self._text(target.slice)}, {self._text(value)}"
                )
                self._in_place("operator.setitem", text, self._names(target, value), statement)
            case ast.AugAssign(target=target, op=operator, value=value):
                text = f"{self._text(target)}, {self._text(value)}"
                name = f"operator.i{_OPERATORS[type(operator)].rstrip('_')}"
                self._in_place(name, text, self._names(target, value), statement)
            case ast.Pass() | ast.Delete() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                self.unread.append(self._text(statement))

    def _in_place(self, target: str, arguments: str, inputs: tuple[int, ...], at: ast.stmt) -> None:
        """A change of a value: what follows, `setitem = x`, is the name of this node."""
        self._settle()
        self._pending = target, arguments, inputs, at

    def _settle(self) -> None:
        """A change of a value that no name follows is a node all the same."""
        if self._pending is not None:
            (target, arguments, inputs, at), self._pending = self._pending, None
            word = target.rpartition(".")[2]
            self._unnamed += 1
            name = f"{word}_unnamed_{self._unnamed}"
            self._add(name, "call_function", target, at, None, arguments, inputs)

    def _flattened(self, elements: Sequence[ast.expr], value: ast.expr, at: ast.stmt) -> None:
        """Inputs that come as one nested value: those that are not known yet are placeholders."""
        if "tree_flatten" not in self._text(value):
            self.unread.append(self._text(at))
            return
        for element in elements:
            if isinstance(element, ast.Name) and element.id not in self._known:
                self._add(element.id, "placeholder", element.id, at)

    def _node(self, name: str, value: ast.expr, annotation: ast.expr | None, at: ast.stmt) -> None:
        if isinstance(value, ast.Name) and self._pending is not None:
            (target, arguments, inputs, _), self._pending = self._pending, None
            self._add(name, "call_function", target, at, annotation, arguments, inputs)
            return
        if isinstance(value, ast.Name):
            self._renamed(name, value.id, at)
            return
        self._settle()
        op, target, arguments = self._call(value)
        self._add(name, op, target, at, annotation, arguments, self._names(value))

    def _renamed(self, name: str, parameter: str, at: ast.stmt) -> None:
        """`l_x_ = L_x_`: the node of an input, whose parameter has another name."""
        position = self._known.pop(parameter, None)
        if position is None:
            self.unread.append(self._text(at))
            return
        self.ops[position] = self.ops[position]._replace(name=name)
        self._known[name] = position

    def _call(self, value: ast.expr) -> tuple[str, str, str]:
        """The kind of node, its target and its arguments."""
        if (path := _own_path(value)) is not None:
            return "get_attr", path, ""
        match value:
            case ast.Call(
                func=ast.Name(id="getattr"), args=[of, ast.Constant(value=str(attribute))]
            ):
                return "call_function", "getattr", f"{self._text(of)}, {attribute!r}"
            case ast.Call(func=function, args=args, keywords=keywords):
                text = self._arguments(args, keywords)
                if (path := _own_path(function)) is not None:
                    return "call_module", path, text
                dotted = _dotted(function)
                if isinstance(function, ast.Attribute) and (
                    dotted is None or dotted.partition(".")[0] in self._known
                ):
                    of = self._text(function.value)
                    return "call_method", function.attr, f"{of}, {text}" if text else of
                return "call_function", target_name(dotted or self._text(function)), text
            case ast.BinOp(left=left, op=operator, right=right):
                text = f"{self._text(left)}, {self._text(right)}"
                return "call_function", f"operator.{_OPERATORS[type(operator)]}", text
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                text = f"{self._text(left)}, {self._text(right)}"
                name = _OPERATORS.get(type(operator), "contains")
                return "call_function", f"operator.{name}", text
            case ast.UnaryOp(op=operator, operand=operand):
                return (
                    "call_function",
                    f"operator.{_OPERATORS[type(operator)]}",
                    self._text(operand),
                )
            case ast.Subscript(value=of, slice=key):
                text = f"{self._text(of)}, {self._text(key)}"
                return "call_function", "operator.getitem", text
            case ast.Attribute(value=of, attr=attribute):
                return "call_function", "getattr", f"{self._text(of)}, {attribute!r}"
            case _:
                return "call_function", self._text(value)[:200], ""

    def _output(self, value: ast.expr | None, at: ast.stmt) -> None:
        match value:
            case ast.Call(func=ast.Attribute(attr="tree_unflatten"), args=[given, *_]):
                value = given
            case _:
                pass
        text = "" if value is None else ast.unparse(value)
        self._add("output", "output", "output", at, None, text, self._names(value) if value else ())

    def _names(self, *of: ast.expr) -> tuple[int, ...]:
        """The nodes that expressions read, as names stand here, in the order of the text."""
        known = self._known
        found = (known[n] for expression in of for n in _names_in(expression) if n in known)
        return tuple(dict.fromkeys(found))

    def _arguments(self, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> str:
        named = (f"{word.arg}={self._text(word.value)}" if word.arg else self._text(word.value)
                 for word in keywords)  # fmt: skip
        return ", ".join((*map(self._text, args), *named))

    def _text(self, node: ast.AST) -> str:
        """The text of a part, as it stands there; it is on one line, or is put on one."""
        line, end = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        if not 0 < line == end <= len(self._lines):
            return ast.unparse(node)
        start, stop = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0)
        whole = self._lines[line - 1]
        if whole.isascii():
            return whole[start:stop]
        if self._encoded[0] != line:  # once for all parts of a line, which may be long
            self._encoded = line, whole.encode("utf-8", "replace")
        return self._encoded[1][start:stop].decode(errors="replace")


def _names_in(expression: ast.expr) -> Iterator[str]:
    names = (one for one in ast.walk(expression) if isinstance(one, ast.Name))
    for name in sorted(names, key=lambda one: (one.lineno, one.col_offset)):
        yield name.id


def _own_path(expression: ast.expr) -> str | None:
    """'layers.0.weight' of `getattr(self.layers, "0").weight`; None for what is not of `self`."""
    match expression:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
        case ast.Call(
            func=ast.Name(id="getattr"), args=[ast.Name(id="self"), ast.Constant(value=str(name))]
        ):
            return name
        case ast.Attribute(value=of, attr=name):
            path = _own_path(of)
        case ast.Call(func=ast.Name(id="getattr"), args=[of, ast.Constant(value=str(name))]):
            path = _own_path(of)
        case _:
            return None
    return None if path is None else f"{path}.{name}"


def _dotted(expression: ast.expr) -> str | None:
    """'torch.ops.aten.add.Tensor'; None for what is no name."""
    match expression:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=of, attr=name):
            path = _dotted(of)
            return None if path is None else f"{path}.{name}"
        case _:
            return None


def target_name(dotted: str) -> str:
    """An operator as a live recording names it: "aten.add.Tensor", "torch.sin", "operator.add"."""
    if dotted.startswith("torch.ops.higher_order."):
        return dotted
    if dotted.startswith("torch.ops."):
        return dotted.removeprefix("torch.ops.")
    if dotted.startswith("torch._C."):
        return f"torch.{dotted.rpartition('.')[2]}"
    return re.sub(r"^_operator\.", "operator.", dotted)

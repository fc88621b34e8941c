"""Sizes as numbers: expressions with symbols get their value in the compiled call."""

import ast
from collections.abc import Callable, Mapping
from functools import cached_property

from dynamo_lab.model.recording import Recording

_LONGEST = 400  # characters: Inductor writes no longer sizes, and they could not be parsed
_LARGEST = 1 << 62


class UnknownSize(Exception):
    """A size that is known only while the program runs."""


class Sizes:
    """The sizes of one compilation."""

    def __init__(self, recording: Recording, compile_id: str) -> None:
        self._recording = recording
        self._compile_id = compile_id
        self._known: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The number that an expression such as "s0 + 1" stands for.

        Raises:
            UnknownSize: it has no number in the recorded call.
        """
        if text.isdecimal() and len(text) < 20:
            return int(text)
        if text not in self._known:
            self._known[text] = self._computed(text)
        return self._known[text]

    def product(self, texts: tuple[str, ...]) -> int:
        """The number of elements of a shape."""
        count = 1
        for text in texts:
            count *= self.number(text)
        return count

    def _computed(self, text: str) -> int:
        if len(text) > _LONGEST:
            raise UnknownSize
        try:
            found = _value(ast.parse(text, mode="eval").body, self._hints)
        except (SyntaxError, ValueError, LookupError, ArithmeticError, RecursionError) as error:
            raise UnknownSize from error
        if not 0 <= found <= _LARGEST:
            raise UnknownSize
        return found

    @cached_property
    def _hints(self) -> dict[str, int]:
        return {
            symbol.name: int(symbol.hint)
            for symbol in self._recording.symbols
            if symbol.compile_id == self._compile_id
            and symbol.hint.isdecimal()
            and len(symbol.hint) < 20
        }


def _value(node: ast.expr, hints: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name) if name in hints:
            return hints[name]
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _SIGNS:
            return _within(_SIGNS[type(sign)](_value(left, hints), _value(right, hints)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, hints)
        case ast.Call(func=ast.Name(id=name), args=args) if name in _FUNCTIONS:
            return _FUNCTIONS[name]([_value(argument, hints) for argument in args])
        case _:
            raise UnknownSize


def _within(number: int) -> int:
    if abs(number) > _LARGEST:
        raise UnknownSize
    return number


def _power(base: int, exponent: int) -> int:
    if not 0 <= exponent <= 8:
        raise UnknownSize
    return base**exponent


_SIGNS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: int.__add__,
    ast.Sub: int.__sub__,
    ast.Mult: int.__mul__,
    ast.FloorDiv: int.__floordiv__,
    ast.Mod: int.__mod__,
    ast.Pow: _power,
}

_FUNCTIONS: dict[str, Callable[[list[int]], int]] = {
    "FloorDiv": lambda of: of[0] // of[1],
    "CleanDiv": lambda of: of[0] // of[1],
    "CeilDiv": lambda of: -(-of[0] // of[1]),
    "Mod": lambda of: of[0] % of[1],
    "ModularIndexing": lambda of: of[0] // of[1] % of[2],
    "Max": max,
    "Min": min,
}
"""Functions of PyTorch and sympy that occur in sizes."""

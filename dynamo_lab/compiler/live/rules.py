"""A rule in place of another: for the length of a `with`, or until it is undone."""

from __future__ import annotations

import functools
import traceback
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.rules import RULES
from dynamo_lab.compiler.rules.table import put
from dynamo_lab.compiler.tensors import LazyTensor
from dynamo_lab.compiler.work import Unsupported
from dynamo_lab.errors import LoweringError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dynamo_lab.compiler.rules import Call, Meta, Rule

_changes: defaultdict[Any, list[ChangedRule]] = defaultdict(list)
"""By overload, the last one on top; whichever is undone first, the others stay."""
_originals: dict[Any, Rule | None] = {}


class ChangedRule:
    """A rule that was entered. It is undone by `undo`, or at the end of its `with`."""

    def __init__(self, target: Any, made: Rule | None) -> None:
        self.target, self.made = target, made
        if not _changes[target]:
            _originals[target] = RULES.get(target)
        _changes[target].append(self)
        self._enter()

    def undo(self) -> None:
        """Bring back what was there before; a second time does nothing."""
        if self in _changes[self.target]:
            _changes[self.target].remove(self)
            self._enter()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The rule itself."""
        assert self.made is not None, "left to ATen, by None as its rule"
        return self.made(*args, **kwargs)

    def __enter__(self) -> ChangedRule:
        return self

    def __exit__(self, *_: object) -> None:
        self.undo()

    def _enter(self) -> None:
        changes = _changes[self.target]
        if not changes:
            put(self.target, _originals.pop(self.target))
            return
        made = changes[-1].made
        put(self.target, made and checked(self.target, made))


def rule(target: Any) -> Callable[[Rule | None], ChangedRule]:
    """Lower an operator by another rule, in all that is compiled from now on.

    Use it in a `with`, which undoes it, or as a decorator, whose function then has `undo()`:

        with lab.compiler.rule(torch.ops.aten.silu.default)(mine): ...

    An operator with a rule is not decomposed; one whose rule is None is left to ATen. What
    `torch.compile` compiles by a wrong rule is wrong; `Program.check` says so.

    Args:
        target: the overload, as `torch.ops.aten.silu.default`.
    """
    return lambda made: ChangedRule(target, made)


def checked(target: Any, made: Rule) -> Rule:
    """A rule of a reader's, whose errors and results of another shape are told in one sentence."""

    @functools.wraps(made)
    def rule(call: Call, *args: Any, **kwargs: Any) -> Any:
        try:
            result = made(call, *args, **kwargs)
        except (Unsupported, LoweringError):
            raise
        except Exception as error:
            raise LoweringError(
                f"The rule of {target} raises {type(error).__name__}{_line(error, made)}: {error}"
            ) from error
        _refuse_another_shape(target, call, result)
        return result

    return rule


def _line(error: Exception, made: Rule) -> str:
    """Where in the rule's own text, if it is there at all."""
    code = getattr(made, "__code__", None)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if code and frame.filename == code.co_filename:
            text = f", `{frame.line}`" if frame.line else ""
            return f" at line {frame.lineno}{text}"
    return ""


def _refuse_another_shape(target: Any, call: Call, result: Any) -> None:
    results = list(result) if isinstance(result, tuple | list) else [result]
    if len(results) != len(call.metas):
        raise LoweringError(
            f"The rule of {target} gives {len(results)} results, and the graph expects "
            f"{len(call.metas)}."
        )
    for one, meta in zip(results, call.metas, strict=True):
        if one is None:
            continue
        if not isinstance(one, LazyTensor):
            raise LoweringError(
                f"The rule of {target} gives {_article(type(one).__name__)}; it has to give a lazy "
                "tensor, as `pointwise` and `call.tensor` make it."
            )
        if one.dtype != meta.dtype or list(map(ix.of, one.size)) != list(map(ix.of, meta.size)):
            raise LoweringError(
                f"The rule of {target} gives {_kind(one)}, and the graph expects {_kind(meta)}."
            )


def _kind(x: LazyTensor | Meta) -> str:
    return f"{str(x.dtype).removeprefix('torch.')} [{', '.join(map(str, x.size))}]"


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


@contextmanager
def in_effect(rules: Mapping[Any, Rule]) -> Iterator[None]:
    """The whole table as it was when a program was made."""
    before = dict(RULES)
    _become(rules)
    try:
        yield
    finally:
        _become(before)


def _become(rules: Mapping[Any, Rule]) -> None:
    kept = dict(rules)
    RULES.clear()
    RULES.update(kept)

"""Your own passes: have Inductor run them, and see them among its own."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from torch.fx import Graph

    Rewrite = Callable[[Graph], Any]


@contextmanager
def passes(
    *,
    pre_grad: Rewrite | Sequence[Rewrite] = (),
    joint: Rewrite | Sequence[Rewrite] = (),
    post_grad: Rewrite | Sequence[Rewrite] = (),
) -> Generator[None, None, None]:
    """Have Inductor run these passes on what compiles in the block, after its own of each phase.

    A pass is a function that takes the `torch.fx.Graph` and changes it in place. It appears in the
    recording under its own name, with its diff: `with lab.passes(post_grad=f): lab.explore(...)`.
    Passes that are already set run first, and afterwards the settings are restored. In the block
    nothing is taken from Inductor's caches, because a pass can be edited at any time.

    Args:
        pre_grad: For the graph that Dynamo captured, of `torch` functions.
        joint: For the graph of forward and backward, of ATen operators.
        post_grad: For each graph that is about to be lowered.

    Raises:
        OptionError: something other than a function was passed.
    """
    given = {"pre_grad": pre_grad, "joint": joint, "post_grad": post_grad}
    chosen = {phase: _functions(phase, asked) for phase, asked in given.items()}
    if not any(chosen.values()):
        raise OptionError("There is no pass to run: pass a function, as in passes(post_grad=f).")
    from dynamo_lab.capture.passes.custom_passes import installed

    with installed(chosen):
        yield


def _functions(phase: str, asked: Any) -> list[Rewrite]:
    several = isinstance(asked, list | tuple)
    functions = list(cast("Sequence[Any]", asked)) if several else [asked]
    for function in functions:
        if not callable(function):
            raise OptionError(
                f"{phase}={function!r} is not a pass: use a function that takes a torch.fx.Graph."
            )
    return functions

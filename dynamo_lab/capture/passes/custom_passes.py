"""Add the user's passes to Inductor, by the hooks that it documents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

from torch import fx

from dynamo_lab.capture.core.undo import whole
from dynamo_lab.capture.passes import hooks
from dynamo_lab.errors import OptionError, PassError

_HOOKS = {
    "pre_grad": "pre_grad_custom_pass",
    "joint": "joint_custom_post_pass",
    "post_grad": "post_grad_custom_post_pass",
}


class UserPass(hooks.CUSTOM_PASS.get()):
    """A function of the user's in the form that Inductor requires."""

    def __init__(self, function: Callable[[fx.Graph], Any], phase: str) -> None:
        self.user_function = function
        self._phase = phase
        self._id = uuid4().hex

    def __call__(self, graph: fx.Graph) -> None:
        """Run it.

        Raises:
            PassError: it raised, or it left a graph that nothing can run.
        """
        was_sound = not _fault(graph)
        try:
            self.user_function(graph)
        except Exception as error:
            raise self._blamed(f"raised {type(error).__name__}: {error}") from error
        if was_sound and (fault := _fault(graph)):
            raise self._blamed(f"left a graph that cannot run: {fault}")

    def _blamed(self, did: str) -> PassError:
        name = getattr(self.user_function, "__name__", type(self.user_function).__name__)
        return PassError(
            f"The {self._phase} pass `{name}` {did.rstrip('.')}. "
            "The graph it was given is the one before it in the list of passes."
        )

    def uuid(self) -> str:
        """Another for each: a function's text does not say what it does, so no cache may know."""
        return self._id


def _fault(graph: fx.Graph) -> str:
    """Why a graph cannot run, in PyTorch's words. Order is no fault: Inductor sorts by itself."""
    try:
        graph.lint()
    except Exception as error:
        try:
            hooks.SORT.get()(graph)
            graph.lint()
        except Exception:
            return str(error).strip().partition("\n")[0] or type(error).__name__
    return ""


def _custom_passes(present: Any, more: list[Any]) -> Any:
    """The setting of a hook that runs `more` passes after those present.

    A hook takes several since torch 2.13, and one before.
    """
    held = list(present) if isinstance(present, list | tuple) else [present] if present else []
    if hooks.SEVERAL_PASSES.exists:
        return [*held, *more]
    if len(held) + len(more) > 1:
        raise OptionError("This PyTorch runs one pass per phase: pass one, or upgrade to 2.13.")
    return more[0]


@whole
def installed(passes: Mapping[str, Sequence[Callable[[fx.Graph], Any]]]) -> Iterator[None]:
    """Have Inductor run these passes, after those that are set already."""
    config = hooks.SETTINGS.get()
    changes = {
        _HOOKS[phase]: _custom_passes(
            getattr(config, _HOOKS[phase]), [UserPass(function, phase) for function in functions]
        )
        for phase, functions in passes.items()
        if functions
    }
    with config.patch(changes):
        yield

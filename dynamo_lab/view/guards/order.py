"""Guards in the order to read them: those on a value together, those on the state last, once."""

from collections import Counter
from collections.abc import Iterable, Sequence

from dynamo_lab.model.guards.guards import Guard

_STATE = {
    "AUTOGRAD_SAVED_TENSORS_HOOKS",
    "DEFAULT_DEVICE",
    "DETERMINISTIC_ALGORITHMS",
    "FSDP_TRAINING_STATE",
    "GLOBAL_STATE",
    "GRAD_MODE",
    "LAMBDA_GUARD",
    "TORCH_FUNCTION_MODE_STACK",
    "TORCH_FUNCTION_STATE",
}
_INCLUDED = {"DETERMINISTIC_ALGORITHMS", "GRAD_MODE"}
"""Guards that check nothing by themselves: `GLOBAL_STATE` does it for them."""
_ROOT = ("", "L")
"""Names of no value: a log calls the root of the tree so."""


def in_order(guards: Sequence[Guard]) -> tuple[tuple[Guard, tuple[str, ...]], ...]:
    """Each guard with the compilations that have it."""
    state = [guard for guard in guards if is_of_state(guard)]
    on_values = [guard for guard in guards if not is_of_state(guard)]
    order: dict[tuple[int, str, str], int] = {}
    for guard in on_values:
        order.setdefault((guard.frame, guard.compile_id, guard.source), len(order))
    on_values.sort(key=lambda g: (g.frame, order[g.frame, g.compile_id, g.source]))
    return (*((guard, (guard.compile_id,)) for guard in on_values), *_once(state))


def of_frames(guards: Sequence[Guard]) -> Counter[int]:
    """How many of them each frame has, counted as they are listed."""
    frame_of = {guard.compile_id: guard.frame for guard in guards}
    found = Counter(guard.frame for guard in guards if not is_of_state(guard))
    for _, compile_ids in _once([guard for guard in guards if is_of_state(guard)]):
        found.update({frame_of[one] for one in compile_ids})
    return found


def is_of_state(guard: Guard) -> bool:
    """Whether a guard is on the state of PyTorch, not on a value of the program."""
    return guard.source in _ROOT and guard.kind in _STATE


def _once(state: Sequence[Guard]) -> Iterable[tuple[Guard, tuple[str, ...]]]:
    """The guards on the state, those that are alike as one."""
    told = {g.compile_id for g in state if g.kind == "GLOBAL_STATE" and g.expressions}
    alike: dict[tuple[str, tuple[str, ...]], list[Guard]] = {}
    for guard in state:
        if guard.kind not in _INCLUDED or guard.compile_id not in told:
            alike.setdefault((guard.kind, guard.expressions), []).append(guard)
    for group in alike.values():
        yield group[0], tuple(dict.fromkeys(guard.compile_id for guard in group))

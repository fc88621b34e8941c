"""Under which conditions two recordings were made, where these differ."""

from collections.abc import Iterator

from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.words import listed

_NAMES = {
    "torch": "PyTorch",
    "triton": "Triton",
    "python": "Python",
    "platform": "platform",
    "processor": "processor",
    "threads": "threads",
    "cores": "cores",
}
_USUAL = {"backend": "inductor", "fullgraph": "False"}
"""What `torch.compile` does where nothing is asked for."""


def conditions(a: Recording, b: Recording) -> Iterator[str]:
    """'PyTorch: 2.12.0, then 2.13.0'. Only what is known of both counts: a log tells no options."""
    mine, other = a.environment, b.environment
    for field, name in _NAMES.items():
        pair = getattr(mine, field), getattr(other, field)
        if all(pair) and pair[0] != pair[1]:
            yield f"{name}: {pair[0]}, then {pair[1]}"
    yield from _accelerators(mine, other)
    if a.target != b.target:
        yield f"target: {a.target or 'this machine'}, then {b.target or 'this machine'}"
    is_of_log = any("log" in one.options for one in (mine, other))
    for field in () if is_of_log else sorted(mine.options.keys() | other.options.keys()):
        options = mine.options.get(field, "not set"), other.options.get(field, "not set")
        if options[0] != options[1] and {*options} != {_USUAL.get(field), "not set"}:
            yield f"{field}: {options[0]}, then {options[1]}"
    yield from _inputs(a, b)


def _accelerators(a: Environment, b: Environment) -> Iterator[str]:
    # no accelerator is only known where the machine is
    if a.accelerators != b.accelerators and a.platform and b.platform:
        texts = (listed(list(one.accelerators)) or "none" for one in (a, b))
        yield f"GPU: {', then '.join(texts)}"


def _inputs(a: Recording, b: Recording) -> Iterator[str]:
    """The dtypes of the tensors that the first graph of each reads."""
    pair = [_dtypes(one) for one in (a, b)]
    if all(pair) and pair[0] != pair[1]:
        yield f"dtypes of the inputs: {listed(pair[0])}, then {listed(pair[1])}"


def _dtypes(recording: Recording) -> list[str]:
    graph = next(iter(recording.captured_graphs()), None)
    if graph is None:
        return []
    read = (node.value.dtype for node in graph.nodes if node.op == "placeholder" and node.value)
    return sorted({dtype for dtype in read if dtype})

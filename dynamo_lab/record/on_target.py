"""What a device would do otherwise than what was lowered for it here says, as notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.errors import OptionError
from dynamo_lab.model import targets
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.decompositions import ProgramCensus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.model.decompositions import Device, Native
    from dynamo_lab.model.graphs import Graph, Node
    from dynamo_lab.model.kernels import Kernel
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.model.targets import Target


def notes_on(target: Target, graphs: Sequence[Graph], kernels: Sequence[Kernel]) -> list[Note]:
    """What is said of a program that was lowered for a target."""
    return [*_of_capture(graphs, target.device), *_without_kernels(target, graphs, kernels)]


def _of_capture(graphs: Sequence[Graph], device: str) -> Iterator[Note]:
    """What the program asks of the device, and was captured elsewhere."""
    for graph in graphs:
        if graph.stage != "dynamo" or device in _devices(graph):
            continue
        for node in graph.nodes:
            if message := _autocast(node, device) or _copy(node, device):
                about, text = message
                yield Note(level="info", about=about, message=text, graph=graph.id, node=node.index)


def _devices(graph: Graph) -> set[str]:
    return {value.device.partition(":")[0] for value in graph.nodes.values if value.device}


def _autocast(node: Node, device: str) -> tuple[str, str] | None:
    """A program that casts for the device."""
    if not (node.target.endswith("._enter_autocast") and f"'{device}'" in node.arguments):
        return None
    return "autocast", (
        f'torch.autocast("{device}"): Dynamo captured the program where its arguments are, and '
        "there this casts nothing. On the device it would."
    )


def _copy(node: Node, device: str) -> tuple[str, str] | None:
    """A program that copies from the device to the CPU."""
    if device == "cpu" or node.op != "call_method" or not _to_cpu(node):
        return None
    call = "cpu()" if node.target == "cpu" else 'to("cpu")'
    return "copy", (
        f"`{call}`: the program was captured with its tensors on the CPU, and there this copies "
        f"nothing. On {device} it would copy to the CPU, wait for that, and what follows would run "
        "there: here it is lowered for the device, too."
    )


def _to_cpu(node: Node) -> bool:
    return node.target == "cpu" or (node.target == "to" and "'cpu'" in node.arguments)


def census_of(recording: Recording) -> ProgramCensus:
    """Where the kernels are, for its device, of the operators that a recorded program calls.

    Raises:
        OptionError: another release of PyTorch recorded it, whose list is not at hand.
    """
    from dynamo_lab.capture.core.environment import describe_environment
    from dynamo_lab.capture.decompositions.natives import native_on

    release = describe_environment({}).torch.partition("+")[0]
    recorded = recording.environment.torch.partition("+")[0]
    if recorded != release:
        raise OptionError(
            f"PyTorch {recorded} recorded this, and {release} is installed, whose kernels may be "
            f"others: ask with {recorded}, or record it again."
        )
    device = _device(recording)
    facts = recording.decompositions
    traced = (facts.calls[one.call].operator for one in facts.traced)
    called = (node.target for _, node in _called(recording.graphs, recording.kernels))
    return ProgramCensus(
        title=recording.title,
        device=device,
        release=release,
        called={name: native_on(name, device) for name in _functions(traced)},
        compiled={name: native_on(name, device) for name in _functions(called)},
    )


def _device(recording: Recording) -> Device:
    """Of the target, else of the tensors: the host beside a GPU does not count."""
    if target := targets.parse(recording.target):
        return _DEVICES.get(target.kind, "cpu")
    found = {device for graph in recording.graphs for device in _devices(graph)}
    if "cuda" in found:
        return "cuda"
    return "mps" if "mps" in found else "cpu"


def _functions(operators: Iterable[str]) -> list[str]:
    """The names in PyTorch's list of ATen's operators: "relu" of "aten.relu.default"."""
    return sorted({_function(name) for name in operators if name.startswith("aten.")})


def _function(operator: str) -> str:
    return operator.removeprefix("aten.").removesuffix(".default")


_DEVICES: dict[str, Device] = {"cuda": "cuda", "rocm": "cuda", "mps": "mps"}


def _without_kernels(
    target: Target, graphs: Sequence[Graph], kernels: Sequence[Kernel]
) -> Iterator[Note]:
    """A call of ATen's kernel for an operator that has none on the device."""
    if target.kind not in _DEVICES:
        return
    from dynamo_lab.capture.decompositions.natives import native_on

    for graph, node in _called(graphs, kernels):
        native = native_on(_function(node.target), _DEVICES[target.kind])
        if native in ("host", "elsewhere"):
            message = (
                f"`{node.target}` has no kernel for {target.name} in this PyTorch: there the "
                f"compiled program raises NotImplementedError{_or_else(target, native)}."
            )
            yield Note(
                level="warning", about="kernel", message=message, graph=graph.id, node=node.index
            )


def _or_else(target: Target, native: Native) -> str:
    """What PyTorch does on a Mac where it is asked to, and for a few operators always."""
    if target.kind != "mps" or native != "host":
        return ""
    return ", or runs it on the CPU, as with PYTORCH_ENABLE_MPS_FALLBACK=1"


def _called(graphs: Sequence[Graph], kernels: Sequence[Kernel]) -> Iterator[tuple[Graph, Node]]:
    """The ATen operators that a program's extern kernels were made of."""
    for kernel in kernels:
        if kernel.language == "extern" and kernel.graph is not None:
            graph = graphs[kernel.graph]
            for index in kernel.nodes:
                if graph.nodes[index].target.startswith("aten."):
                    yield graph, graph.nodes[index]


def padding_note(recorder: Recorder, message: str, node: str, since: int) -> Note:
    """What is said of a product that was decided on when there were `since` graphs."""
    later = [g for g in recorder.graphs[since:] if g.stage == "post_grad" and node in g.nodes.name]
    graph, index = place_of(later[:1], node)
    return Note(level="info", about="padding", message=message, graph=graph, node=index)


def place_of(graphs: Sequence[Graph], node: str) -> tuple[int | None, int | None]:
    """The graph that is being lowered, the last one after the passes, and the node in it."""
    for graph in reversed(graphs):
        if graph.stage == "post_grad":
            names = graph.nodes.name
            return (graph.id, names.index(node)) if node in names else (None, None)
    return None, None

"""A forward that saves values for a backward although the model only evaluates."""

from collections.abc import Iterator

from dynamo_lab.model.autograd import Partition
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.places import entity
from dynamo_lab.view.core.words import plural, size
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of


def find(facts: Facts) -> Iterator[Found]:
    """All graphs of a recording together: one `torch.no_grad()` helps them all."""
    recording = facts.recording
    lowered = [graph for graph in recording.graphs if graph.stage == "post_grad"]
    if recording.target or any(graph.is_backward for graph in lowered):
        return  # what is only lowered never ran, and a backward that was lowered was wanted
    ran = {graph.compile_id for graph in lowered}  # only Inductor lowers a backward when it runs
    saving = [p for p in recording.partitions if p.compile_id in ran and p.activation_bytes]
    if saving and _evaluates(facts):
        yield from _found(facts, saving)


def _evaluates(facts: Facts) -> bool:
    """Whether modules with a training mode were out of it: nothing is guarded where none has."""
    modes = [
        text.rsplit(" ", 1)[-1]
        for guard in facts.recording.guards
        for text in guard.expressions
        if ".training ==" in text
    ]
    return bool(modes) and set(modes) == {"False"}


def _found(facts: Facts, saving: list[Partition]) -> Iterator[Found]:
    held = sum(part.activation_bytes for part in saving)
    part = max(saving, key=lambda one: one.activation_bytes)
    most = max(part.saved, key=lambda one: (one.role == "activation", one.bytes or 0))
    nodes: list[NodeKey] = [(part.forward or 0, most.forward_node)]
    line = line_of(facts, nodes)
    if line is None:
        return
    where = facts.places.where(line)
    finding = Finding(
        rule="saved-in-vain",
        question="memory",
        sentence=(
            f"The model evaluates, and still each call saves {size(held)} for a backward that "
            f"never ran here, in {plural(len(saving), 'graph')}; most of it at {where}."
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text=f"`{most.name}` and others are saved, and no backward was compiled",
                tab="autograd",
                entity=f"node:{part.forward}:{most.forward_node}",
            ),
        ),
        grade="may change meaning",
        remedy=(
            "Call it under `torch.no_grad()`, or `torch.inference_mode()`. Its results then have "
            "no gradient."
        ),
        code="with torch.no_grad():\n    out = model(x)",
        gain=Gain(
            metric="bytes", before=held, after=0, how="counted: without a gradient nothing is saved"
        ),
        cost=1.0,
    )
    yield Found(finding, line=line, about=frozenset({f"partition:{one.id}" for one in saving}))

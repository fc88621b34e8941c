"""What a training step saves for its backward, and the budget that lets it save less."""

from collections.abc import Iterator

from dynamo_lab.model.autograd import Partition, SavedValue, held_bytes
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.words import percent, size
from dynamo_lab.view.findings.changes import Setting
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of

_AT_LEAST = 1 << 20
_BUDGET = 0.5


def find(facts: Facts) -> Iterator[Found]:
    """A note on the partition that saves most: training needs it, but has a choice."""
    trained = [p for p in facts.recording.partitions if _has_choice(p)]
    part = max(trained, key=lambda one: one.activation_bytes, default=None)
    if part is None or part.activation_bytes < _AT_LEAST:
        return
    saved = [one for one in part.saved if one.role == "activation"]
    by_line: dict[Line, list[SavedValue]] = {}
    for one in saved:
        line = line_of(facts, [(part.forward or 0, one.forward_node)])
        if line:
            by_line.setdefault(line, []).append(one)
    if by_line:
        line = max(by_line, key=lambda at: _bytes(by_line[at]))
        yield _found(facts, part, line, by_line[line])


def _has_choice(part: Partition) -> bool:
    """Whether a budget may change what is saved, and none does: a checkpoint's policy overrides."""
    if part.backward is None or part.budget < 1 or part.method == "default":
        return False
    saved = [one for one in part.saved if one.role == "activation"]
    return any("MUST_SAVE" not in one.reason for one in saved)


def _bytes(saved: list[SavedValue]) -> int:
    """The memory that they hold: views of one tensor hold it together."""
    return sum({one.storage: held_bytes(one) for one in saved}.values())


def _graph(facts: Facts, part: Partition) -> str:
    """Which forward it is, where there are several."""
    several = sum(one.backward is not None for one in facts.recording.partitions) > 1
    if not several or part.forward is None:
        return ""
    return f" of graph {GraphTitles(facts.recording).numbers[part.forward]}"


def _found(facts: Facts, part: Partition, line: Line, saved: list[SavedValue]) -> Found:
    change = Setting(option="activation_memory_budget", value=_BUDGET, of="torch._functorch.config")
    before, most = part.activation_bytes, max(saved, key=held_bytes)
    share = min(1.0, _bytes(saved) / before)
    where = facts.places.where(line)
    finding = Finding(
        rule="saved-activations",
        question="memory",
        level="note",
        sentence=(
            f"The forward{_graph(facts, part)} saves {size(before)} for the backward, "
            f"{percent(share)} of it at {where}."
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text=f"`{most.name}` takes {size(held_bytes(most))}",
                tab="autograd",
                entity=f"node:{part.forward}:{most.forward_node}",
            ),
        ),
        grade="may change meaning",
        remedy=(
            "With a memory budget the backward computes some of it again, which takes time; "
            "rounding may differ. `rec.repartition(budget)` says what each budget keeps."
        ),
        code=change.code,
        gain=Gain(
            metric="bytes",
            before=before,
            after=before * _BUDGET,
            how="as the budget asks for: more stays where it cannot be computed again",
        ),
        cost=share,
    )
    return Found(finding, change=change, line=line, about=frozenset({f"partition:{part.id}"}))

"""A compile cache refuses a graph: every process does that work again."""

import re
from collections.abc import Iterator

from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import CacheCheck
from dynamo_lab.view.core.places import Line, entity_if_known
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.findings.compile_time.seconds import phase_seconds
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.timings.caches import FX_GRAPH, line_of
from dynamo_lab.view.timings.timings import compile_seconds

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_UNKNOWN_FUNCTION = "Unsupported call_function target"


def find(facts: Facts) -> Iterator[Found]:
    """Each reason for which something is not kept, with the first line that has it."""
    by_reason: dict[tuple[str, str], list[CacheCheck]] = {}
    for check in facts.recording.caches:
        if check.outcome == "bypassed":
            by_reason.setdefault((check.layer, check.reason), []).append(check)
    for checks in by_reason.values():
        yield _found(checks, facts)


def _found(checks: list[CacheCheck], facts: Facts) -> Found:
    recording, places = facts.recording, facts.places
    first = checks[0]
    line: Line | None = line_of(first, recording, places)
    is_function = _is_own_function(first.reason)
    again = "traces" if first.layer != FX_GRAPH else "compiles"
    finding = Finding(
        rule="cache-bypassed",
        question="compile_time",
        level="problem" if is_function else "note",
        sentence=(
            f"The {first.layer} would not keep {plural(len(checks), 'graph')}, because of "
            f"{_reason(first)}: each new process {again} {_them(checks)} again."
        ),
        where=places.where(line) if line else "",
        entity=entity_if_known(line),
        evidence=(Evidence(text=first.reason, tab="timeline"),),
        grade="fill in" if is_function else "none",
        remedy=(
            "Register the function as a custom operator: the caches know what a name stands for."
            if is_function
            else ""
        ),
        code=_custom_operator(first, facts) if is_function else "",
        cost=_share(first, recording),
    )
    return Found(finding, line=line)


def _is_own_function(reason: str) -> bool:
    """Of PyTorch's own functions only PyTorch can say what they do."""
    named, _, module = reason.partition("Function module: ")
    return named.startswith(_UNKNOWN_FUNCTION) and bool(module) and not module.startswith("torch")


def _them(checks: list[CacheCheck]) -> str:
    return "it" if len(checks) == 1 else "them"


def _reason(check: CacheCheck) -> str:
    told = check.reason.partition("Function module:")[0]
    return _ADDRESS.sub("", told).strip(" .") or "an unknown reason"


def _share(check: CacheCheck, recording: Recording) -> float:
    """Of compiling: what AOTAutograd does, or all that Inductor does."""
    whole = compile_seconds(recording)
    spent = phase_seconds(recording, ("create_aot_", "aot_"))
    if check.layer == FX_GRAPH:
        spent = sum(t.seconds for t in recording.timings if t.name == "inductor_compile")
    return min(1.0, spent / whole) if whole > 0 else 0.0


def _custom_operator(check: CacheCheck, facts: Facts) -> str:
    name = ""
    if check.graph is not None and check.node is not None:
        nodes = facts.recording.graphs[check.graph].nodes
        name = nodes.strings[nodes.target[check.node]].rpartition(".")[2]
    return f'@torch.library.custom_op("mine::{name or "name"}", mutates_args=())'

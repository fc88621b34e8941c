"""A compile cache refuses a graph: every process compiles it from the start."""

from collections.abc import Iterator

from dynamo_lab.model.timings import CacheCheck
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.core.words import seconds as duration
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.timings.caches import line_of
from dynamo_lab.view.timings.timings import compile_seconds

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
    whole = compile_seconds(recording)
    share = min(1.0, len(checks) / max(1, len({c.compile_id for c in recording.caches})))
    is_function = first.reason.startswith(_UNKNOWN_FUNCTION)
    finding = Finding(
        rule="cache-bypassed",
        question="compile_time",
        level="problem" if is_function else "note",  # nobody can help the others
        sentence=(
            f"The {first.layer} would not keep {plural(len(checks), 'graph')}, because of "
            f"{_reason(first)}: each new process compiles {_them(checks)} from the start"
            f"{f', here {duration(whole)}' if whole else ''}."
        ),
        where=places.where(line) if line else "",
        entity=entity(line) if line else "",
        evidence=(Evidence(text=first.reason, tab="timeline"),),
        grade="fill in" if is_function else "none",
        remedy=(
            "Register the function as a custom operator: the caches know what a name stands for."
            if is_function
            else ""
        ),
        code=_custom_operator(first, facts) if is_function else "",
        cost=share,
    )
    return Found(finding, line=line)


def _them(checks: list[CacheCheck]) -> str:
    return "it" if len(checks) == 1 else "them"


def _reason(check: CacheCheck) -> str:
    return check.reason.partition("Function module:")[0].strip(" .") or "an unknown reason"


def _custom_operator(check: CacheCheck, facts: Facts) -> str:
    name = ""
    if check.graph is not None and check.node is not None:
        nodes = facts.recording.graphs[check.graph].nodes
        name = nodes.strings[nodes.target[check.node]].rpartition(".")[2]
    return f'@torch.library.custom_op("mine::{name or "name"}", mutates_args=())'

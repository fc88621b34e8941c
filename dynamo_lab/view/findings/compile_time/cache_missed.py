"""A warm start does not find what it compiled before: its keys are others in each run."""

from collections.abc import Iterator

from dynamo_lab.model.timings import WarmStart
from dynamo_lab.view.core.places import entity_if_known
from dynamo_lab.view.core.words import listed, plural, seconds, unique
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.findings.speed.call_overhead import root_line
from dynamo_lab.view.timings.caches import AOTAUTOGRAD, FX_GRAPH, part_in_words

_OF_PASSES = ("custom_pass", "custom_pre_pass", "custom_post_pass", "custom_graph_pass")


def find(facts: Facts) -> Iterator[Found]:
    """Only where it was measured, and the part of the key is known."""
    found = facts.recording.warm_start
    if found is None or not any(parts for _, _, parts in found.differing):
        return
    line = root_line(facts)
    parts = unique(part for _, _, names in found.differing for part in names)
    names = unique(map(part_in_words, parts))
    of_graphs = (one for one in found.warm.layers if one.layer in (AOTAUTOGRAD, FX_GRAPH))
    misses = max((layer.misses or 0 for layer in of_graphs), default=0)
    finding = Finding(
        rule="cache-missed",
        question="compile_time",
        sentence=(
            f"Compiled a second time, {plural(misses, 'graph')} {'was' if misses == 1 else 'were'} "
            f"not found in caches that keep them: in the key, {listed(names)} "
            f"{'differs' if len(names) == 1 else 'differ'} from one compilation to the next."
        ),
        where=facts.places.where(line) if line else "",
        entity=entity_if_known(line),
        evidence=(Evidence(text=_times(found), tab="timeline"),),
        grade="fill in",
        remedy=_remedy(parts),
        cost=1.0,
    )
    yield Found(finding, line=line)


def _times(found: WarmStart) -> str:
    cold, warm = seconds(found.cold.seconds), seconds(found.warm.seconds)
    return f"compiled with empty caches in {cold}, again with full ones in {warm}, measured"


def _remedy(parts: tuple[str, ...]) -> str:
    if any(part.rpartition("[")[2].rstrip("]").endswith(_OF_PASSES) for part in parts):
        return (
            "Let `uuid()` of your pass return the same for the same pass: a hash of its source, as "
            "`torch._inductor.custom_graph_pass.get_hash_for_files` makes it."
        )
    return "Make it the same in each process: no addresses, times or random numbers in it."

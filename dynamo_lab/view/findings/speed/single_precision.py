"""Matrix products in full float32 on a GPU that has faster units for slightly fewer digits."""

import re
from collections.abc import Iterator

from dynamo_lab.model.benchmarks import Benchmark, KernelTime, Work
from dynamo_lab.view.benchmarks.timed_nodes import TimedNodes
from dynamo_lab.view.core.places import entity
from dynamo_lab.view.core.words import percent
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found
from dynamo_lab.view.findings.lines import line_of
from dynamo_lab.view.findings.speed.measured import compiled_ways

_SETTING = "float32_matmul_precision"
_HAS_UNITS = re.compile(r"A\d+|H\d+|B\d+|GH\d+|L\d+|RTX (?:30|40|50|A)", re.IGNORECASE)
_WORTH = 0.2


def find(facts: Facts) -> Iterator[Found]:
    """The float32 products of the first compiled variant, where they take much of a call."""
    found = facts.recording.benchmark
    if found is None or not _is_full(found):
        return
    for one in compiled_ways(found):
        own = [k for k in found.kernels if (k.way, k.phase) == (one.way, one.phase) and k.warm]
        products = [kernel for kernel in own if _is_product(facts, kernel)]
        share = _seconds(products) / one.whole.median if products and one.whole else 0.0
        if share >= _WORTH:
            yield from _found(facts, products, min(1.0, share))
            return


def _is_full(found: Benchmark) -> bool:
    machine = found.machine
    is_new = machine.device.startswith("cuda") and bool(_HAS_UNITS.search(machine.device))
    return is_new and machine.settings.get(_SETTING) == "highest"


def _is_product(facts: Facts, one: KernelTime) -> bool:
    work = facts.works.of(one.kernel, one.buffers)
    is_counted = isinstance(work, Work) and work.counted == "formula"
    return is_counted and isinstance(work, Work) and work.dtype == "float32" and work.flops > 0


def _seconds(kernels: list[KernelTime]) -> float:
    return sum(sorted(one.warm)[len(one.warm) // 2] for one in kernels)


def _found(facts: Facts, products: list[KernelTime], share: float) -> Iterator[Found]:
    longest = max(products, key=lambda one: _seconds([one]))
    line = line_of(facts, TimedNodes(facts.recording).of(longest))
    if line is None:
        return
    where = facts.places.where(line)
    finding = Finding(
        rule="full-float32",
        question="speed",
        sentence=(
            f"Matrix products in float32 take {percent(share)} of a call, most of it at {where}, "
            "and the GPU's tensor cores are not used for them."
        ),
        where=where,
        entity=entity(line),
        evidence=(Evidence(text=f"{_SETTING}: highest", tab="bench"),),
        grade="may change meaning",
        remedy="Allow TF32, which rounds the factors to 10 bits after the point, or use bfloat16.",
        code='torch.set_float32_matmul_precision("high")',
        cost=share,
    )
    yield Found(finding, line=line, about=frozenset({f"kernel:{longest.kernel}:precision"}))

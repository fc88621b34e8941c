"""A saved bundle of caches lacks built libraries: who loads it needs a compiler, and its time."""

from collections.abc import Iterator

from dynamo_lab.view.core.words import plural, seconds
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found


def find(facts: Facts) -> Iterator[Found]:
    """A note, where it was measured, and the caches themselves have what the bundle lacks."""
    found = facts.recording.warm_start
    if found is None or found.bundle is None or found.bundle.built <= found.warm.built:
        return
    lacking = plural(found.bundle.built, "library of kernels", "libraries of kernels")
    told = f"{seconds(found.bundle.seconds)} from a bundle, {seconds(found.warm.seconds)} from disk"
    finding = Finding(
        rule="bundle-lacks",
        question="compile_time",
        level="note",
        sentence=(
            "What `torch.compiler.save_cache_artifacts()` saves has no built C++: who loads it "
            f"builds {lacking} again, with a C++ compiler."
        ),
        evidence=(Evidence(text=f"{told}, measured", tab="timeline"),),
    )
    yield Found(finding)

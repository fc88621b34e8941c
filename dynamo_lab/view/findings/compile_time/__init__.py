"""Why does it take so long to compile? One rule a file."""

from dynamo_lab.view.findings.compile_time import (
    autotuning,
    bundle_lacks,
    cache_bypassed,
    cache_missed,
    cold_start,
    guards_of_sizes,
    many_builds,
    repeated_block,
    unrolled_loop,
)
from dynamo_lab.view.findings.finding import Rule

RULES: tuple[Rule, ...] = (
    unrolled_loop.find,
    repeated_block.find,
    autotuning.find,
    cache_bypassed.find,
    cache_missed.find,
    many_builds.find,
    guards_of_sizes.find,
    cold_start.find,
    bundle_lacks.find,
)

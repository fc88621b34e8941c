"""Why is it slower than eager, or no faster? One rule a file."""

from dynamo_lab.view.findings.finding import Rule
from dynamo_lab.view.findings.speed import (
    call_overhead,
    complex_numbers,
    cuda_graph_sizes,
    cuda_graphs,
    float64,
    guard_checks,
    host_copies,
    layout_copies,
    many_calls,
    missed_fusion,
    no_faster,
    product_gradient,
    single_precision,
    slow_kernels,
    synchronises,
)

RULES: tuple[Rule, ...] = (
    float64.find,
    complex_numbers.find,
    cuda_graphs.find,
    cuda_graph_sizes.find,
    host_copies.find,
    synchronises.find,
    many_calls.find,
    layout_copies.find,
    missed_fusion.find,
    single_precision.find,
    slow_kernels.find,
    guard_checks.find,
    call_overhead.find,
    no_faster.find,
    product_gradient.find,
)

"""Why is it slower than eager, or no faster? One rule a file."""

from dynamo_lab.view.findings.finding import Rule
from dynamo_lab.view.findings.speed import complex_numbers, float64, layout_copies, many_calls

RULES: tuple[Rule, ...] = (
    float64.find,
    complex_numbers.find,
    many_calls.find,
    layout_copies.find,
)

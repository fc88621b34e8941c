"""Why does it break? One rule a file."""

from dynamo_lab.view.findings.breaks import (
    double_backward,
    graph_break,
    left_to_python,
    not_compiled,
)
from dynamo_lab.view.findings.finding import Rule

RULES: tuple[Rule, ...] = (
    double_backward.find,
    graph_break.find,
    left_to_python.find,
    not_compiled.find,
)

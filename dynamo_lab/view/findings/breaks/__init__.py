"""Why does it break? One rule a file."""

from dynamo_lab.view.findings.breaks import graph_break, not_compiled
from dynamo_lab.view.findings.finding import Rule

RULES: tuple[Rule, ...] = (graph_break.find, not_compiled.find)

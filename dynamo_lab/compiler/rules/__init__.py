"""What each ATen operator becomes: one file a kind of operator, all in the table `RULES`."""

from dynamo_lab.compiler.rules import (
    division,
    movement,
    pointwise,
    reductions,
    scatters,
    views,
    windows,
)
from dynamo_lab.compiler.rules.table import RULES, Call, Meta, Rule, rule

__all__ = [
    "RULES",
    "Call",
    "Meta",
    "Rule",
    "division",
    "movement",
    "pointwise",
    "reductions",
    "rule",
    "scatters",
    "views",
    "windows",
]

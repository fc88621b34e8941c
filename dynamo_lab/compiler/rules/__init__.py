"""What each ATen operator becomes: one file a kind of operator, all in the table `RULES`."""

from dynamo_lab.compiler.rules import (  # noqa: F401  each enters its rules as it is loaded
    division,
    movement,
    pointwise,
    reductions,
    scatters,
    views,
    windows,
)
from dynamo_lab.compiler.rules.table import RULES, Call, Meta, Rule, rule

__all__ = ["RULES", "Call", "Meta", "Rule", "rule"]

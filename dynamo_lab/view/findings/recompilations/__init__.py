"""Why is it compiled again? One finding a story; a file for each kind of cause."""

from dynamo_lab.view.findings.finding import Rule
from dynamo_lab.view.findings.recompilations import recompiled, refused

RULES: tuple[Rule, ...] = (recompiled.find, refused.find)

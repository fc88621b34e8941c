"""Why are the numbers wrong, or were there none? One rule a file."""

from dynamo_lab.view.findings.finding import Rule
from dynamo_lab.view.findings.numbers import (
    differs,
    numpy_random,
    overwritten,
    second_backward,
    wrong_fake,
)

RULES: tuple[Rule, ...] = (
    differs.find,
    wrong_fake.find,
    overwritten.find,
    second_backward.find,
    numpy_random.find,
)

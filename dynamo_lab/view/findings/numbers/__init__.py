"""Why are the numbers wrong? One rule a file."""

from dynamo_lab.view.findings.finding import Rule
from dynamo_lab.view.findings.numbers import differs, numpy_random, overwritten, wrong_fake

RULES: tuple[Rule, ...] = (
    differs.find,
    wrong_fake.find,
    overwritten.find,
    numpy_random.find,
)

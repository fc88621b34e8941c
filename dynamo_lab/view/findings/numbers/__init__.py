"""Why are the numbers wrong? One rule a file."""

from dynamo_lab.view.findings.finding import Rule
from dynamo_lab.view.findings.numbers import differs, numpy_random, wrong_fake

RULES: tuple[Rule, ...] = (differs.find, wrong_fake.find, numpy_random.find)

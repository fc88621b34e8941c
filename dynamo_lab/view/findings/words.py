"""The grade and the gain of a finding in words, the same in every renderer."""

from dynamo_lab.view.core import words
from dynamo_lab.view.findings.finding import Finding, Gain, Grade, Metric

_BY_HAND = "to be done by hand"
_GRADES: dict[Grade, str] = {
    "safe": "can be applied safely",
    "may change meaning": "may change meaning",
    "fill in": _BY_HAND,
    "none": "no remedy is known",
}


def grade_in_words(finding: Finding) -> str:
    """How far its remedy can be applied; empty for what is only worth knowing."""
    if finding.level == "note" and not finding.code:
        return ""
    if not finding.remedy:
        return _GRADES[finding.grade]
    return _BY_HAND if finding.grade == "none" else _GRADES[finding.grade]


def names_its_line(finding: Finding) -> bool:
    """Whether the sentence says where it is, so that nothing else has to."""
    return finding.where.lower() in finding.sentence.lower()


def gain_in_words(gain: Gain) -> str:
    """'breaks: 3 to 1, counted'."""
    before, after = amount(gain.metric, gain.before), amount(gain.metric, gain.after)
    how = f", {gain.how}" if gain.how else ""
    return f"{gain.metric}: {before} to {after}{how}"


def amount(metric: Metric, value: float) -> str:
    """A value of a metric with its unit."""
    if metric in ("seconds a call", "seconds of compiling"):
        return words.seconds(value)
    return words.size(round(value)) if metric == "bytes" else f"{value:g}"

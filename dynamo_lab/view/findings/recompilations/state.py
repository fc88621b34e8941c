"""What is around the calls: grad mode, training or evaluating, dtypes, devices, settings."""

from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.recompilations.stories import Story
from dynamo_lab.view.findings.recompilations.told import Told
from dynamo_lab.view.guards.advice import advice_on

_RULES = {
    "grad_mode": "grad-mode-changes",
    "setting": "setting-changes",
    "keys": "dispatch-keys-change",
    "inference": "inference-mode-changes",
    "dtype": "dtype-changes",
    "device": "device-changes",
    "requires_grad": "gradients-change",
    "stride": "layout-changes",
    "type": "type-changes",
    "none": "optional-value",
    "key": "keys-change",
    "same": "tensors-shared",
    "alias": "tensors-shared",
    "value": "constant-changes",
}


def tell(story: Story, facts: Facts) -> Told:
    """What changed, in the words of the guards tab, with its advice."""
    found = story.cause
    if story.failed.source.endswith(".training"):
        return _training(found.subject)
    advice = advice_on(found, story.new)
    return Told(
        rule=_RULES.get(found.kind, "condition-changes"),
        what=_clause(found.subject, found.text),
        remedy=advice[0].text if advice else "",
        code=advice[0].code if advice else "",
        grade="fill in" if advice else "none",
    )


def _training(subject: str) -> Told:
    return Told(
        rule="training-changes",
        what=f"`{subject}` changes: training and evaluation need separate code",
        remedy="Compile one function for training and one for evaluation, or expect both.",
        grade="fill in",
    )


def _clause(subject: str, text: str) -> str:
    if " had the key " in text:
        return f"the keys of `{subject}` change"
    return f"`{subject}` changes" if subject and f"`{subject}` was " in text else text

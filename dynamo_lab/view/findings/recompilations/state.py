"""What is around the calls: grad mode, training or evaluating, dtypes, devices, settings."""

from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.recompilations.stories import Story
from dynamo_lab.view.findings.recompilations.told import Told
from dynamo_lab.view.guards.advice import advice_on
from dynamo_lab.view.guards.failing import Cause

_RULES = {
    "grad_mode": "grad-mode-changes",
    "setting": "setting-changes",
    "keys": "dispatch-keys-change",
    "inference": "inference-mode-changes",
    "dtype": "dtype-changes",
    "device": "device-changes",
    "requires_grad": "gradients-change",
    "stride": "layout-changes",
    "offset": "layout-changes",
    "base": "layout-changes",
    "type": "type-changes",
    "none": "optional-value",
    "key": "keys-change",
    "member": "keys-change",
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
        what=_clause(found),
        remedy=advice[0].text if advice else "",
        code=advice[0].code if advice else "",
        grade="fill in" if advice else "none",
    )


def _training(subject: str) -> Told:
    return Told(
        rule="training-changes",
        what=f"`{subject}` changes: training and evaluation need separate code",
        remedy=(
            "Compile one function for training and one for evaluation, each of which calls the "
            "model: what one model is compiled to twice is kept in one place. Or expect both."
        ),
        code=(
            "train_step = torch.compile(lambda x: model(x))\n"
            "evaluate = torch.compile(lambda x: model(x))"
        ),
        grade="fill in",
    )


def _clause(found: Cause) -> str:
    name = found.subject
    if found.kind == "key" and name and not found.was:
        return f"the keys of `{name}`, or their order, change"
    if found.kind == "type" and found.text.startswith(f"`{name}` was "):
        return f"the type of `{name}` changes"
    return f"`{name}` changes" if name and f"`{name}` was " in found.text else found.text

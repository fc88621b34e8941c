"""What is left of a loop that a break leaves in the middle: its counter is compiled in."""

from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.recompilations.stories import Story
from dynamo_lab.view.findings.recompilations.told import Told

_RANGE = "___normalize_range_iter("


def tell(story: Story, facts: Facts) -> Told | None:
    """Python goes on with a `range` whose rounds are compiled in, each with its own code."""
    if not story.failed.text.startswith(_RANGE):
        return None
    return Told(
        rule="loop-goes-on",
        what="a loop goes on after the break inside it, and the code is for the rounds that "
        "were left the first time",
        remedy="End the break inside the loop: the loop is then captured with what is around it. "
        "Or move the loop's body into a function, compile that, and leave the loop to Python.",
        grade="fill in",
    )

"""What is left of a loop that a break leaves in the middle: its counter is compiled in."""

from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.recompilations.stories import Story
from dynamo_lab.view.findings.recompilations.told import Told

_RANGE = "___normalize_range_iter("
_STACK = "___stack"  # Dynamo's name of what Python had at hand at the break, as a loop its iterator


def tell(story: Story, facts: Facts) -> Told | None:
    """Python goes on with a `range` whose rounds are compiled in, each with its own code."""
    if not is_of_iterator(story) or _STACK not in story.failed.text:  # the program has named it
        return None
    return Told(
        rule="loop-goes-on",
        what="a loop goes on after the break inside it, and the code is for the rounds that "
        "were left the first time",
        remedy="End the break inside the loop: the loop is then captured with what is around it. "
        "Or move the loop's body into a function, compile that, and leave the loop to Python.",
        grade="fill in",
    )


def is_of_iterator(story: Story) -> bool:
    """Whether it is about what an iterator has left, of which no value is seen."""
    return story.failed.text.startswith(_RANGE)

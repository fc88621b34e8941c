"""Functions and objects that are made anew for each call: each is other code to Dynamo."""

from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.recompilations.stories import Story
from dynamo_lab.view.findings.recompilations.told import Told, break_before
from dynamo_lab.view.guards.readable import is_of_break


def tell(story: Story, facts: Facts) -> Told | None:
    """Another function, or another object, in the place of one that the code is for."""
    if story.cause.kind != "object":
        return None
    name = story.cause.subject
    if is_of_break(name):
        return _left(story, facts)
    is_function = "function" in story.cause.was
    what = "another function" if is_function else "another object"
    return Told(
        rule="function-made-anew" if is_function else "object-changes",
        what=f"`{name}` is {what} in each of these calls, and the code is for one",
        remedy="Make it once, before the first call, and pass the same one each time; what "
        "differs between calls is better passed as an argument or a tensor.",
        code=f"{name} = ...  # once, outside of the function that calls",
        grade="fill in",
    )


def _left(story: Story, facts: Facts) -> Told:
    """What a line had on Python's stack as it broke: no name of the program is its."""
    _, where = break_before(story, facts)
    return Told(
        rule="object-changes",
        what=f"an object that {where} left is another one in each of these calls, and the code "
        "that goes on is for one",
        remedy="A line that breaks leaves what it had taken until then: the method of "
        "`kept.append(float(t))` is a new object in each call. Compute the value in a line of its "
        "own, and use it in the next one; or end the break.",
        grade="fill in",
    )

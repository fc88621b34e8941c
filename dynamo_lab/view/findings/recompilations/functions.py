"""Functions that are made anew for each call: each is other code to Dynamo."""

from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.recompilations.stories import Story
from dynamo_lab.view.findings.recompilations.told import Told


def tell(story: Story, facts: Facts) -> Told | None:
    """Another function, or another object, in the place of one that the code is for."""
    if story.cause.kind != "object":
        return None
    name = story.cause.subject
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

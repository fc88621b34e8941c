"""A container that changes its length: a cache that grows by each call, a list of parts."""

import re
from itertools import pairwise

from dynamo_lab.view.core.names import plain_input
from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.recompilations.stories import Story
from dynamo_lab.view.findings.recompilations.told import Told
from dynamo_lab.view.findings.recompilations.writers import written_at
from dynamo_lab.view.guards.advice import advice_on

_CACHE = re.compile(r"(?i)cache|past_key|key_values")


def tell(story: Story, facts: Facts) -> Told | None:
    """Code is for the exact length of a container, and unrolled over one that it reads."""
    if story.cause.kind != "length":
        return None
    name = story.cause.owner or story.cause.subject
    line = written_at(name, facts)
    is_cache = bool(_CACHE.search(story.failed.source))
    # of other containers in each call, only the lengths that were new are known
    if not _grows(story.values) or not (line or is_cache):
        advice = advice_on(story.cause, story.new)[0]
        return Told(
            rule="length-changes",
            what=f"`{name}` changes its length, and the code is for the exact one",
            remedy=advice.text,
            code=advice.code,
            grade="fill in",
        )
    where = f" ({facts.places.where(line)})" if line else ""
    if not is_cache and not _is_read(name, story, facts):
        return Told(
            rule="growing-container",
            what=f"`{name}` grows between calls{where}, and the code is for its exact length",
            remedy="No graph reads a tensor of it. Return what is kept, and append it in the code "
            "that calls the compiled function: what happens there is not checked.",
            grade="fill in",
            line=line,
        )
    return Told(
        rule="growing-container",
        what=f"`{name}` grows between calls{where}, and the code is unrolled over it",
        remedy="Write into one tensor of a fixed size, made before the first call, with the "
        "position as a tensor of one dimension, `torch.tensor([n])`: without one it is read as a "
        "number" + (_USE_CACHE if is_cache else "."),
        code="" if is_cache else "buffer[:, position] = new  # position = torch.tensor([n])",
        grade="fill in",
        line=line,
    )


_USE_CACHE = (
    ". A static cache does so; where nothing is generated, as in training, no cache is "
    "needed: `use_cache=False`."
)


def _is_read(name: str, story: Story, facts: Facts) -> bool:
    """Whether a graph has an element of the container among its inputs, or none is known."""
    start = re.sub(r"\W", "_", name) + "_"
    captured = [one for one in facts.recording.captured_graphs() if one.frame in story.frames]
    inputs = [node.name for one in captured for node in one.nodes if node.op == "placeholder"]
    return not captured or any(
        re.sub(r"\W", "_", plain_input(one)).startswith(start) for one in inputs
    )


def _grows(values: tuple[str, ...]) -> bool:
    """Whether each value is larger than the one before."""
    numbers = [int(value) for value in values if value.isdecimal()]
    return len(numbers) > 2 and all(a < b for a, b in pairwise(numbers))

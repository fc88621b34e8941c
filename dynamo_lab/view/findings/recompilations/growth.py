"""A container that changes its length: a cache that grows by each call, a list of parts."""

import re
from itertools import pairwise
from typing import Literal

from dynamo_lab.view.core.names import input_name
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
    use = "unrolled" if is_cache else _use(name, story, facts)
    # of other containers in each call, only the lengths that were new are known
    if not _grows(story.values) or not (line or is_cache) or use == "unknown":
        advice = advice_on(story.cause, story.new)[0]
        return Told(
            rule="length-changes",
            what=f"`{name}` changes its length, and the code is for the exact one",
            remedy=advice.text,
            code=advice.code,
            grade="fill in",
        )
    where = f" ({facts.places.where(line)})" if line else ""
    if use == "none":
        return Told(
            rule="growing-container",
            what=f"`{name}` grows between calls{where}, and the code is for its exact length",
            remedy="The graph is the same for each length. If the compiled function only appends "
            "to it, return what is kept, and append it in the code that calls the function: what "
            "happens there is not checked.",
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


def _use(name: str, story: Story, facts: Facts) -> Literal["unrolled", "none", "unknown"]:
    """What graphs do with a container: other ones for each length that take its tensors, or none.

    Numbers of it are constants in a graph: where the graphs differ, they may be of it.
    """
    graphs = [one for one in facts.recording.captured_graphs() if one.frame in story.frames]
    inputs = [
        input_name(one.nodes, node.index)
        for one in graphs
        for node in one.nodes
        if node.op == "placeholder"
    ]
    takes = any(_words(one).startswith(f"{_words(name)}_") for one in inputs)
    made = {(one.frame, *((n.op, n.target, n.arguments) for n in one.nodes)) for one in graphs}
    frames = len({one.frame for one in graphs})
    if len(graphs) == frames or takes != (len(made) > frames):
        return "unknown"
    return "unrolled" if takes else "none"


def _words(name: str) -> str:
    """The words of a name, also where brackets are written as underscores: "args_1_seen"."""
    return re.sub(r"[\W_]+", "_", name).strip("_")


def _grows(values: tuple[str, ...]) -> bool:
    """Whether each value is larger than the one before."""
    numbers = [int(value) for value in values if value.isdecimal()]
    return len(numbers) > 2 and all(a < b for a, b in pairwise(numbers))

"""Why two operations are not fused, as an answer to print."""

from msgspec import structs

from dynamo_lab.model.recording import Recording
from dynamo_lab.render.text import as_line
from dynamo_lab.view.fusion import why_not
from dynamo_lab.view.fusion.why_not import Answer

_LIMIT = 400


class WhyNot(Answer, frozen=True, kw_only=True):
    """The answer: print it. `reasons` are PyTorch's, `changes` say what would change it."""

    def __str__(self) -> str:
        told = [self.title, *(f"  {sentence}" for sentence in self.sentences)]
        told += [f"  PyTorch: {reason}" for reason in self.reasons]
        told += [f"  What would change it: {change}" for change in self.changes]
        return "\n".join(as_line(line.replace("`", ""), _LIMIT) for line in told)

    __repr__ = __str__


def ask(recording: Recording, one: str, other: str, graph: int | None = None) -> WhyNot:
    """Why two are not fused: names of operations, buffers or nodes of a post-grad graph.

    Raises:
        FusionError: nothing was scheduled, or there is no such name or graph.
    """
    return WhyNot(**structs.asdict(why_not.ask(recording, one, other, graph)))

"""The way of one thing through the compiler, as an answer to print; and its address on a page."""

from msgspec import structs

from dynamo_lab.model.recording import Recording
from dynamo_lab.render.tables import terminal_width
from dynamo_lab.render.terminal import as_text
from dynamo_lab.render.terminal.journey import renderable
from dynamo_lab.view import build
from dynamo_lab.view.journey import journey as journeys
from dynamo_lab.view.journey.address import address_of
from dynamo_lab.view.journey.names import entity_of


class Journey(journeys.JourneyView, frozen=True, kw_only=True):
    """The way: print it. `stations` are in the compiler's order, each with its stops."""

    def __str__(self) -> str:
        return as_text(renderable(self), width=terminal_width()).rstrip("\n")

    __repr__ = __str__


def ask(recording: Recording, asked: str) -> Journey:
    """The way of "line 8", of "line 8: torch.relu(x)", or of a node, buffer or kernel by its name.

    Raises:
        JourneyError: there is no such thing in the recording.
    """
    return Journey(**structs.asdict(journeys.journey(build(recording), asked)))


def link(recording: Recording, asked: str, page: str) -> str:
    """The address of a thing on a page.

    Raises:
        JourneyError: there is no such thing in the recording.
    """
    view = build(recording)
    return f"{page}#{address_of(view, entity_of(view, asked))}"

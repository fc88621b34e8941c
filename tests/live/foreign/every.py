"""All programs of other shape, by name."""

from tests.live.foreign import attentions, composites, networks, operators
from tests.live.programs import Program

FOREIGN: dict[str, Program] = {
    **attentions.PROGRAMS,
    **composites.PROGRAMS,
    **networks.PROGRAMS,
    **operators.PROGRAMS,
}

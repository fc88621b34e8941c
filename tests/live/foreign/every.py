"""All programs of other shape, by name."""

from tests.live.foreign import attentions, networks, operators
from tests.live.programs import Program

FOREIGN: dict[str, Program] = {
    **attentions.PROGRAMS,
    **networks.PROGRAMS,
    **operators.PROGRAMS,
}

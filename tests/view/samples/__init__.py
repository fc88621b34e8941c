"""Small recordings made by hand, whose every value a test may rely on."""

from tests.view.graphs.unrolled import unrolled as unrolled
from tests.view.modules.blocks import blocks as blocks
from tests.view.ranks.waiting_rank import waiting_rank as waiting_rank

from .assembled import assembled as assembled
from .attention.attending import attending as attending
from .big import big as big
from .branch_and_print import branch_and_print as branch_and_print
from .cut import cut as cut
from .decomposed import decomposed as decomposed
from .fast_path.encoding import encoding as encoding
from .film import film as film
from .film import hostile_film as hostile_film
from .hostile import hostile as hostile
from .lowered import lowered as lowered
from .measured import measured as measured
from .measured import measured_elsewhere as measured_elsewhere
from .measured import measured_large as measured_large
from .measured import measured_otherwise as measured_otherwise
from .nested import nested as nested
from .outcomes import bisected as bisected
from .outcomes import fullgraph_failed as fullgraph_failed
from .outcomes import logged as logged
from .outcomes import nothing as nothing
from .outcomes import recompiled as recompiled
from .outcomes import skipped as skipped
from .packaged import packaged as packaged
from .packaged import unpackaged as unpackaged
from .rewritten import rewritten as rewritten
from .scheduled import scheduled as scheduled
from .searched import searched as searched
from .sizes import sizes as sizes
from .staged import hostile_staged as hostile_staged
from .staged import staged as staged
from .targets import hostile_side_by_side as hostile_side_by_side
from .targets import side_by_side as side_by_side

"""A plan of what a search found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dynamo_lab.tiny.indices import check_indices
from dynamo_lab.tiny.order import FEW_STATES
from dynamo_lab.tiny.plan import plan
from dynamo_lab.tiny.search.searched import searched
from dynamo_lab.tiny.selection import selection

if TYPE_CHECKING:
    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.tiny.plan import Plan
    from dynamo_lab.tiny.search.searched import Asked


def planned(asked: Asked, watch: Watch) -> Plan:
    """What gains most within the limit, planned.

    Raises:
        OptionError: the state file is that of another search, or a sample has a class that there
            is not.
        OutputError: it cannot be written.
        TinyError: not even the classifier fits.
    """
    problem = asked.problem
    for sample in (*(asked.how.data or ()), *asked.how.check):
        check_indices(problem.joint, sample)
    found = searched(asked, watch)
    selected = selection(problem.model, found.update, problem.channels)
    made = plan(problem, selected)
    if problem.limit is not None and made.facts.bytes > problem.limit:
        # an order with a lower peak can leave more gaps than the one that was searched with
        quick = plan(replace(problem, most_states=FEW_STATES), selected)
        made = replace(quick, problem=problem)
    return replace(made, search=found).held()

"""An export that failed for a reason that no other rule knows."""

from collections.abc import Iterator

from dynamo_lab.view.breaks.exceptions import cause
from dynamo_lab.view.findings.export.told import failures, found
from dynamo_lab.view.findings.finding import Facts, Found


def find(facts: Facts) -> Iterator[Found]:
    """What PyTorch says of it, and a way to learn more; a rule that knows more explains it."""
    for one in failures(facts):
        told = found(
            facts,
            one,
            "not-exported",
            f"`{one.model}` was not exported: {cause(one.error, one.message).rstrip('.')}.",
            "No remedy is known here. `torch.export.draft_export` takes the same arguments, goes "
            "on where it can, and reports what stands in the way.",
            grade="none",
        )
        yield told._replace(about=told.explains, explains=frozenset())

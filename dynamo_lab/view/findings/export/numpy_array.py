"""A non-strict export stops where a tensor becomes a NumPy array."""

from collections.abc import Iterator

from dynamo_lab.view.findings.export.told import failures, found
from dynamo_lab.view.findings.finding import Facts, Found

_NUMPY = ".numpy() is not supported for tensor subclasses"


def find(facts: Facts) -> Iterator[Found]:
    """The line that calls `.numpy()`."""
    for one in failures(facts):
        if one.strict or not one.message.startswith(_NUMPY) or one.at is None:
            continue
        yield found(
            facts,
            one,
            "numpy-array",
            "A tensor becomes a NumPy array here: without strict=True the Python runs on tensors "
            "that have no values.",
            "Write it with PyTorch's operators. Or export with strict=True: Dynamo reads most of "
            "NumPy as PyTorch.",
            code="torch.export.export(..., strict=True)",
            strict=True,
            grade="may change meaning",
        )

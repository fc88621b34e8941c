"""The program took the gradient of a gradient of compiled code, which has none."""

from collections.abc import Iterator

from dynamo_lab.view.core.places import entity_if_known
from dynamo_lab.view.core.words import first_up
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found

_REFUSED = "does not currently support double backward"
"""PyTorch's words, torch/_functorch/_aot_autograd/runtime_wrappers.py."""


def find(facts: Facts) -> Iterator[Found]:
    """Where the program ended for it: at the second gradient, not where it took the first."""
    failure = facts.recording.failure
    if failure is None or _REFUSED not in failure.message:
        return
    line = None if failure.span is None else facts.places.line_of(failure.span)
    where = "" if line is None else facts.places.where(line)
    yield Found(
        Finding(
            rule="double-backward",
            question="breaks",
            sentence=first_up(
                f"{where or 'the program'} asks for the gradient of a gradient that compiled code "
                "computed, and there is none: the program ended with an error."
            ),
            where=where,
            entity=entity_if_known(line),
            evidence=(Evidence(text=failure.message.partition("\n")[0], tab="autograd"),),
            grade="fill in",
            remedy="Take the inner gradient within the compiled function, by `torch.func.grad`: "
            "then it is part of the graph, and its gradient is compiled.",
            code="inner = torch.func.grad(lambda x: model(x).sum())(x)",
            cost=1.0,
        ),
        line=line,
    )

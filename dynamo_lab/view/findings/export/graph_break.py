"""A strict export stops at a break that the program asks for."""

from collections.abc import Iterator

from dynamo_lab.view.findings.export.told import failures, found
from dynamo_lab.view.findings.finding import Facts, Found

_ASKED = {
    "Skip calling `torch.compiler.disable()`d function": "a disabled function",
    "Call to `torch._dynamo.graph_break()`": "a call of `torch._dynamo.graph_break()`",
}


def find(facts: Facts) -> Iterator[Found]:
    """The line that asks for a break of the graph."""
    for one in failures(facts):
        asked = next((said for title, said in _ASKED.items() if one.message.startswith(title)), "")
        if not one.strict or not asked:
            continue
        yield found(
            facts,
            one,
            "graph-break-in-export",
            f"With strict=True Dynamo has to capture all as one graph, and here is {asked}.",
            "Take it out. Or export with strict=False, which runs the Python and records what "
            "operators it calls, within that function too.",
            code="torch.export.export(..., strict=False)",
            strict=False,
            grade="may change meaning",
        )

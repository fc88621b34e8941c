"""How large the offline page is: the part that every page has, and a 300-node program's data."""

from dynamo_lab.measure.statistics import spread
from dynamo_lab.model.recording import Recording
from tests.benchmarks.core.ratio import Line, options, report

FIXED_BUDGET = 1.6e6
DATA_BUDGET = 0.5e6

LAYERS = 4
"""So many layers of GPT-2 are captured as about 300 nodes."""


def main() -> None:
    """Measure and print."""
    options(__doc__, rounds=1)
    from tests.benchmarks.core.gpt2 import recorded_gpt2

    recording = recorded_gpt2(LAYERS)
    fixed = page_bytes(Recording(title=""))
    data = page_bytes(recording) - fixed
    nodes = sum(len(graph.nodes) for graph in recording.captured_graphs())
    lines = [
        Line(name="every page", value=spread([fixed]), unit="B", budget=FIXED_BUDGET),
        Line(name="the program's data", value=spread([data]), unit="B", budget=DATA_BUDGET),
    ]
    print(report(f"Offline page of {LAYERS} layers of GPT-2, {nodes} nodes captured", lines, 1))


def page_bytes(recording: Recording) -> int:
    """The size of the recording's page."""
    from dynamo_lab.render.page import page
    from dynamo_lab.view import build

    return len(page(build(recording)).encode())


if __name__ == "__main__":
    main()

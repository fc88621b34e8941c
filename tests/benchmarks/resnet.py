"""ResNet-50 in training: how large its recording and page are, and how fast the page answers."""

import gzip

from dynamo_lab.measure.statistics import spread
from dynamo_lab.model.core import codec
from dynamo_lab.model.recording import Recording
from tests.benchmarks.browser import page_lines
from tests.benchmarks.core.ratio import Line, options, report
from tests.benchmarks.page_size import page_bytes
from tests.benchmarks.recording_size import BUDGET as RECORDING_BUDGET


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=5).rounds
    from tests.benchmarks.core.resnet import recorded_resnet

    recording = recorded_resnet()
    size = len(gzip.compress(codec.encode(recording), mtime=0))
    data = page_bytes(recording) - page_bytes(Recording(title=""))
    sizes = ", ".join(f"{graph.stage} {len(graph.nodes):,}" for graph in recording.graphs)
    lines = [
        Line(name="the recording", value=spread([size]), unit="B", budget=RECORDING_BUDGET),
        Line(name="the page's data", value=spread([data]), unit="B"),
        *page_lines(recording, rounds)[0],
    ]
    print(report(f"ResNet-50 in training, nodes: {sizes}", lines, rounds))


if __name__ == "__main__":
    main()

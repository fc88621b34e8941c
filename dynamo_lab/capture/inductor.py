"""The probes of Inductor: made when it is imported, because most backends never import it."""

from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Probes
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.cuda_graphs import hooks as cuda_graphs_hooks
from dynamo_lab.capture.cuda_graphs.trees import CudaTreeProbes
from dynamo_lab.capture.fusion import hooks as fusion_hooks
from dynamo_lab.capture.fusion.fusion import FusionProbes
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.capture.kernels import hooks as kernels_hooks
from dynamo_lab.capture.kernels.builds import BuildProbes
from dynamo_lab.capture.kernels.kernels import KernelProbes
from dynamo_lab.capture.kernels.statements import StatementProbes
from dynamo_lab.capture.layouts import hooks as layouts_hooks
from dynamo_lab.capture.layouts.layouts import LayoutProbes
from dynamo_lab.capture.lowering import hooks as lowering_hooks
from dynamo_lab.capture.lowering.autotuning import AutotuningProbes
from dynamo_lab.capture.lowering.buffers import BufferProbes
from dynamo_lab.capture.lowering.cudagraphs import CudaGraphProbes
from dynamo_lab.capture.lowering.lowering import LoweringProbes
from dynamo_lab.capture.lowering.origins import OriginProbes
from dynamo_lab.capture.packages import hooks as packages_hooks
from dynamo_lab.capture.packages.exports import ExportProbes
from dynamo_lab.capture.packages.packages import PackageProbes
from dynamo_lab.capture.passes import hooks as passes_hooks
from dynamo_lab.capture.passes.passes import PassProbes

TABLES = (
    lowering_hooks,
    cuda_graphs_hooks,
    layouts_hooks,
    fusion_hooks,
    kernels_hooks,
    passes_hooks,
    packages_hooks,
)
"""The private names that a recording of Inductor depends on."""


def probes(
    recorder: Recorder, compilations: Compilations, graphs: GraphProbes, exports: ExportProbes
) -> tuple[Probes, ...]:
    """All of them, in the order in which they are installed."""
    lowering = LoweringProbes(graphs)
    kernels = KernelProbes(recorder, compilations, lowering)
    fusion = FusionProbes(recorder, graphs, lowering)
    kernels.on_called, kernels.on_line = fusion.called, fusion.wrote
    return (
        lowering,
        OriginProbes(),
        BufferProbes(recorder, lowering),
        LayoutProbes(recorder, lowering),
        CudaGraphProbes(recorder, lowering),
        CudaTreeProbes(recorder),
        AutotuningProbes(recorder, lowering),
        kernels,
        BuildProbes(recorder),
        fusion,
        StatementProbes(recorder, lowering, kernels),
        PassProbes(recorder, compilations, lowering, graphs.replaced),  # around what records graphs
        PackageProbes(recorder, graphs, exports.packaged),
    )

"""This log: that view. For each name that `TORCH_LOGS` takes, where the same is shown."""

from msgspec import Struct

GUARDS, BREAKS, FRAMES, GRAPHS = "guards", "breaks", "frames", "graphs"
STEPS, LOWERING, FUSION = "steps", "lowering", "fusion"
KERNELS, TIMELINE, SHAPES = "kernels", "timeline", "shapes"


OLDEST = "2.11"
"""The oldest release that is supported."""


class LogRow(Struct, frozen=True, kw_only=True):
    """A log by the name that `TORCH_LOGS` takes.

    `view` is the section that shows the same as facts, empty where only the text is shown; `shows`
    says what is seen there, or what the text is about, and `lacks` what the text alone has. `since`
    and `until` are the releases that have the log, among those that are supported.
    """

    name: str
    view: str = ""
    shows: str
    lacks: str = ""
    since: str = OLDEST
    until: str = ""


def _row(name: str, view: str, shows: str, lacks: str = "", **releases: str) -> LogRow:
    return LogRow(name=name, view=view, shows=shows, lacks=lacks, **releases)


_CAPTURE = (
    _row("graph_breaks", BREAKS, "where each graph ends and why, with what to do"),
    _row("guards", GUARDS, "each check, and the line that asked for it",
         "the Python of shape guards, and how long one evaluation took"),
    _row("verbose_guards", GUARDS, "each check, and the line that asked for it",
         "the objects behind each guard"),
    _row("recompiles", GUARDS, "which check did not hold, what changed, what to write"),
    _row("recompiles_verbose", GUARDS, "which check did not hold, what changed, what to write",
         "checks after the first that did not hold"),
    _row("bytecode", FRAMES, "the instructions of a frame, as they were and as rewritten"),
    _row("trace_source", STEPS, "each line as it is interpreted (detail=\"steps\")"),
    _row("trace_bytecode", STEPS, "each instruction with its stack (detail=\"steps\")"),
    _row("trace_call", STEPS, "each call that becomes a node (detail=\"steps\")",
         "the columns of the call in its line"),
    _row("side_effects", "", "what Dynamo writes back into objects after a graph"),
    _row("graph", GRAPHS, "the captured graph; no supported release writes this log"),
    _row("graph_code", GRAPHS, "the captured graph, each node with its line"),
    _row("graph_sizes", GRAPHS, "the shape of each node; no supported release writes this log"),
    _row("graph_code_verbose", "", "the captured graph around passes on sizes and assertions"),
    _row("ddp_graphs", GRAPHS, "the parts of a graph that DDP splits"),
    _row("graph_region_expansion", "", "how Dynamo finds regions of a graph that are equal"),
    _row("hierarchical_compile", "", "how equal regions become one subgraph"),
    _row("annotation", "", "how annotations reach the nodes of a graph"),
    _row("not_implemented", "", "which of several `__torch_dispatch__` refused a call"),
    _row("sym_node", "", "each operation on a symbolic number"),
    _row("trace_shape_events", "", "each call that changes what is known of sizes"),
)  # fmt: skip
_LOWERING = (
    _row("aot_joint_graph", GRAPHS, "forward and backward as one graph, before they are parted"),
    _row("aot_graphs", GRAPHS, "the graphs of forward and backward",
         "AOTAutograd's notes on views and changes of inputs"),
    _row("aot_graphs_effects", "", "the graphs of forward and backward with tokens for effects"),
    _row("compiled_autograd", "", "the graph of a whole backward, and why it compiled again"),
    _row("compiled_autograd_verbose", "", "the same with the nodes of C++"),
    _row("pre_grad_graphs", GRAPHS, "the captured graph, as Inductor's first passes get it"),
    _row("post_grad_graphs", GRAPHS, "the graph after Inductor's passes"),
    _row("ir_pre_fusion", LOWERING, "the buffers and loops of each operator, before fusion",
         "reads and writes as PyTorch prints them"),
    _row("ir_post_fusion", FUSION, "the groups that operators became"),
    _row("schedule", FUSION, "the groups in the order they run"),
    _row("fusion", FUSION, "each pair that was considered, the verdict, and the reason"),
    _row("loop_ordering", FUSION, "verdicts of the round in which loops are reordered",
         "which orders were tried"),
    _row("loop_tiling", "", "how the loops of a kernel are tiled"),
    _row("compute_dependencies", "", "what each scheduled operation waits for"),
    _row("auto_chunker", "", "how a graph is computed in chunks to save memory"),
    _row("overlap", "", "how collectives are moved beside computation"),
    _row("overlap_scheduling", "", "the pass that moves collectives beside computation"),
    _row("partitioned_scatter", "", "how a scatter is parted, and the memory for it", since="2.14"),
    _row("node_runtime_estimation", "", "how long passes expect a node to take"),
)  # fmt: skip
_CODE = (
    _row("output_code", KERNELS, "the generated module: kernels and the calls of them"),
    _row("kernel_code", KERNELS, "the generated kernels, each with its lines"),
    _row("perf_hints", "", "what Inductor itself advises against"),
    _row("cudagraphs", LOWERING, "whether a graph can be a CUDA graph, and what forbids it",
         "recordings and replays at run time"),
    _row("cudagraph_static_inputs", "", "which inputs keep their address"),
    _row("benchmarking", "", "how long each benchmark of the compiler took"),
    _row("autotuning", "", "each candidate of a template with its time"),
    _row("autotuning_inputs", "", "the inputs with which candidates were timed", since="2.14"),
    _row("incremental", "", "what autotuning learns while the program runs", since="2.13"),
    _row("inductor_metrics", "", "bytes and run times as Inductor estimates them"),
    _row("caching", TIMELINE, "which compile caches were asked, and what they answered",
         "keys, and what they are made of"),
    _row("native_dsl_compile", "", "each call of a kernel of `torch._native`", since="2.14"),
    _row("onnx_diagnostics", "", "what the export to ONNX reports"),
    _row("custom_format_test_artifact", "", "nothing: PyTorch's own tests use it"),
)  # fmt: skip
_COMPONENTS = (
    _row("dynamo", FRAMES, "which functions Dynamo looks at, and what became of each",
         "its steps in words"),
    _row("dynamic", SHAPES, "the sizes that are dynamic, and what is assumed of them",
         "each evaluation of a condition"),
    _row("aot", GRAPHS, "the graphs of forward and backward", "its decisions in words"),
    _row("inductor", KERNELS, "what is generated of each graph", "its decisions in words"),
    _row("async_compile", TIMELINE, "how long kernels take to build", "the worker processes"),
    _row("cache", TIMELINE, "which compile caches were asked, and what they answered",
         "remote caches"),
    _row("export", FRAMES, "what `torch.export` traced, and where it failed", "its steps in words"),
    _row("fake_tensor", "", "operators on tensors without data"),
    _row("autograd", "", "PyTorch's autograd itself"),
    _row("native_dsl", "", "kernels of `torch._native`", since="2.13"),
    _row("flex_gemm", "", "Inductor's flexible matrix products", since="2.14"),
    _row("distributed", "", "everything distributed"),
    _row("c10d", "", "process groups and rendezvous"),
    _row("ddp", "", "DistributedDataParallel"),
    _row("fsdp", "", "fully sharded data parallelism"),
    _row("pp", "", "pipeline parallelism"),
    _row("dtensor", "", "distributed tensors"),
    _row("onnx", "", "the export to ONNX"),
    _row("torch", "", "everything else in PyTorch"),
)  # fmt: skip

LOGS: dict[str, LogRow] = {row.name: row for row in (*_CAPTURE, *_LOWERING, *_CODE, *_COMPONENTS)}
"""Every log of the supported releases, in the compiler's order, artifacts before components."""

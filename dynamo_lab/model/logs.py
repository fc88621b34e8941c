"""What PyTorch logged in words, as `TORCH_LOGS` asks for it: one record a message."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Ref

LogLevel = Literal["V", "I", "W", "E", "C"]
"""How PyTorch abbreviates debug, info, warning, error and critical."""

COMPONENTS: dict[str, tuple[str, ...]] = {
    "async_compile": (
        "torch._inductor.async_compile",
        "torch._inductor.compile_worker.tracked_process_pool",
    ),
    "cache": ("torch._inductor.remote_cache", "torch._inductor.fb.remote_cache"),
    "dynamic": (
        "torch.fx.experimental.symbolic_shapes",
        "torch.fx.experimental.sym_node",
        "torch.fx.experimental.recording",
    ),
    "fake_tensor": ("torch._subclasses.fake_tensor",),
    "aot": ("torch._functorch.aot_autograd", "torch._functorch._aot_autograd"),
    "autograd": ("torch.autograd",),
    "c10d": ("torch.distributed.distributed_c10d", "torch.distributed.rendezvous"),
    "ddp": ("torch.nn.parallel.distributed", "torch._dynamo.backends.distributed"),
    "pp": ("torch.distributed.pipelining",),
    "fsdp": ("torch.distributed.fsdp", "torch.distributed._composable.fsdp"),
    "dtensor": ("torch.distributed._tensor", "torch.distributed.tensor"),
    "distributed": ("torch.distributed",),
    "onnx": ("torch.onnx",),
    "native_dsl": ("torch._native",),
    "export": (
        "torch.export",
        "torch._export.converter",
        "torch._export.non_strict_utils",
        "torch._export.serde.serialize",
        "torch.fx.experimental.proxy_tensor",
    ),
    "dynamo": ("torch._dynamo",),
    "inductor": ("torch._inductor",),
    "torch": ("torch",),
}
"""PyTorch's components and the modules that log for them; of a module that several have, one."""

_COMPONENT_OF = {module: name for name, modules in COMPONENTS.items() for module in modules}


class LogRecord(Struct, frozen=True, kw_only=True):
    """One message of a log.

    `name` is what `TORCH_LOGS` calls the log: an artifact such as "graph_code", or a component such
    as "dynamo" for the messages that belong to no artifact. `place` is where in PyTorch it was
    written ("torch/_dynamo/guards.py:5394"), `span` the innermost line of the program that its
    text names. `left_out` counts characters beyond the size limit.
    """

    name: str
    text: str
    level: LogLevel = "V"
    compile_id: str = ""
    place: str = ""
    span: Annotated[int | None, Ref("spans")] = None
    left_out: int = 0


def component_of(module: str) -> str:
    """The component that a module of PyTorch logs for: "inductor" of "torch._inductor.graph"."""
    parts = module.split(".")
    for end in range(len(parts), 0, -1):
        if known := _COMPONENT_OF.get(".".join(parts[:end])):
            return known
    return "torch"


def short_path(path: str) -> str:
    """'torch/_dynamo/guards.py', wherever PyTorch is installed."""
    path = path.replace("\\", "/")
    before, found, rest = path.rpartition("/torch/")
    return f"torch/{rest}" if found and before else path


def module_of(path: str) -> str:
    """'torch._dynamo.guards' of a file's path, wherever PyTorch is installed."""
    parts = path.replace("\\", "/").removesuffix(".py").split("/")
    start = len(parts) - 1 - parts[::-1].index("torch") if "torch" in parts else 0
    return ".".join(parts[start:]).removesuffix(".__init__")

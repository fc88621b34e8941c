"""Each class of Inductor's IR that calls a library is a kernel in the list, or there is why not."""

import importlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor
from torch._higher_order_ops.while_loop import while_loop
from torch._inductor import ir

import dynamo_lab as lab
from dynamo_lab.capture.kernels import hooks
from dynamo_lab.model.benchmarks import Work
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.benchmarks.work.work import Works
from dynamo_lab.view.fusion.why_not import answer

SETTINGS: Any = importlib.import_module("torch._inductor.config")
DYNAMO: Any = importlib.import_module("torch._dynamo.config")


class Program(NamedTuple):
    """What has a node of a class in it, and the library's function that the node calls."""

    fn: Callable[..., Any]
    args: tuple[Tensor, ...]
    called: str = ""
    target: str = "cpu"
    settings: dict[str, Any] = {}  # noqa: RUF012
    read: int | None = None


def to_the_cpu(graph: Any) -> None:
    """A program lowered for a target runs wholly on it: the copy is put in afterwards."""
    last = [node for node in graph.nodes if node.op == "call_function"][-1]
    with graph.inserting_after(last):
        device = torch.device("cpu")
        copy = graph.call_function(torch.ops.prims.device_put.default, (last, device))
    copy.meta["val"] = last.meta["val"].to(device)
    last.replace_all_uses_with(copy, delete_user_cb=lambda user: user is not copy)


def emptied(x: Tensor) -> Tensor:
    torch.ops.inductor.resize_storage_bytes_(x, 0)
    return x.new_zeros(3)


def at_least_four(x: Tensor) -> Tensor:
    number = x.sum().item()
    torch._check(number > 3)
    return torch.ones(4) * number


X, COMPLEX = torch.randn(8, 8), torch.randn(8, 8, dtype=torch.complex64)
AT = torch.tensor(3)
CALLED = {
    "ExternKernelOut": Program(lambda x: x @ x, (X,), "extern_kernels.mm"),
    "ExternKernelAlloc": Program(
        lambda x, w: torch.conv2d(x, w),
        (torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3)),
        "extern_kernels.convolution",
    ),
    "FallbackKernel": Program(lambda x: x.topk(3), (X,), "torch.ops.aten.topk.default"),
    "RandomSeeds": Program(lambda x: x + torch.rand_like(x), (X,), "aten.randint.low_out"),
    "ScatterFallback": Program(
        lambda x, at, y: x.scatter_add(0, at, y),
        (torch.randn(8), torch.randint(8, (16,)), torch.randn(16)),
        "aten.scatter_reduce_.two",
    ),
    "IndexPutFallback": Program(
        lambda x, at, y: x.index_put((at,), y),
        (torch.randn(8), torch.arange(8) % 2 == 0, torch.randn(4)),
        "aten.index_put_",
    ),
    "InplaceBernoulliFallback": Program(
        lambda x: x.bernoulli_(0.5), (X,), "torch.ops.aten.bernoulli_.float", read=0
    ),
    "InplaceCopyFallback": Program(lambda x: x.to(torch.complex64) * 2, (X,), "aten.copy_"),
    "DeviceCopy": Program(
        torch.sin, (X,), "aten.copy_", "cuda:sm_90", {"post_grad_custom_post_pass": to_the_cpu}
    ),
    "ResizeStorageBytes": Program(emptied, (X,), "inductor_ops.resize_storage_bytes_"),
}
IS_UNCOUNTED = {"ResizeStorageBytes": "what it moves for that is not known"}
WITHOUT = {
    "DynamicScalar": Program(at_least_four, (torch.tensor([4, 4]),)),
    "AssertScalar": Program(at_least_four, (torch.tensor([4, 4]),)),
    "DynamicSelectStorageOffset": Program(lambda x, i: x[i.item()] + 1, (X, AT)),
    "DynamicSliceSize": Program(lambda x, i: x[: i.item()] + 1, (X, AT)),
    "Switch" if hasattr(ir, "Switch") else "Conditional": Program(
        lambda x, p: torch.cond(p, torch.sin, torch.cos, (x,)), (X, torch.tensor(True))
    ),
    "WhileLoop": Program(
        lambda i, x: while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x.sin()), (i, x)), (AT, X)
    ),
    "MultiOutput": Program(lambda x: x.topk(3), (X,)),
}
"""What the generated code does by itself: these are no kernels."""


def recorded(program: Program) -> Recording:
    torch._dynamo.reset()
    with ExitStack() as around:
        around.enter_context(SETTINGS.patch(**program.settings))
        around.enter_context(DYNAMO.patch(capture_scalar_outputs=True))
        args = [arg.clone() for arg in program.args]
        return lab.lower(program.fn, *args, target=program.target, grad=False)


@pytest.mark.parametrize("form", CALLED)
def test_a_node_that_calls_a_library_is_a_kernel(form: str) -> None:
    program = CALLED[form]
    recording = recorded(program)
    [made] = [one for one in recording.buffers if one.form == form]
    [kernel] = [one for one in recording.kernels if made.name in one.buffers]
    assert (kernel.name, kernel.language, kernel.calls) == (program.called, "extern", 1)
    assert kernel.graph is not None
    assert kernel.line is not None
    line = recording.wrappers[0].code.split("\n")[kernel.line - 1]
    assert kernel.name.rpartition(".")[2] in line
    [node] = kernel.nodes
    table = recording.graphs[kernel.graph].nodes
    assert table.strings[table.op[node]] == "call_function"
    [step] = [one for one in recording.memory_plans[0].steps if one.kernel == kernel.id]
    assert step.operations
    assert kernel.id in [one.kernel for one in recording.schedules[0].final]
    work = Works(recording).of(kernel.id)
    if form in IS_UNCOUNTED:
        assert isinstance(work, str)
        assert IS_UNCOUNTED[form] in work
    else:
        assert isinstance(work, Work)
        assert work.bytes_written
        assert program.read in (None, work.bytes_read)


@pytest.mark.parametrize("form", WITHOUT)
def test_what_the_generated_code_does_itself_is_no_kernel_and_says_so(form: str) -> None:
    recording = recorded(WITHOUT[form])
    view = build(recording)
    made = next(one for one in recording.buffers if one.form == form)
    assert not [one for one in recording.kernels if made.name in one.buffers]
    schedule = view.fusions.schedules[0]
    [at] = [i for i, one in enumerate(schedule.operations) if made.name in one.buffers]
    other = next(i for i in range(len(schedule.operations)) if i != at)
    told = answer(schedule, at, other, view.fusions.unseen[schedule.compiler])
    assert not any("library" in one for one in told.sentences)
    [stored] = [one for one in view.lowering.buffers if one.id == made.id]
    assert "library" not in stored.why


def test_checks_of_memory_that_are_put_between_kernels_hide_nothing() -> None:
    settings = {"test_configs.track_memory_lifecycle": "assert"}
    recording = recorded(Program(lambda x: (x @ x).sin(), (X,), settings=settings))
    assert "check_memory_step" in recording.wrappers[0].code
    assert [note for note in recording.notes if note.level == "failure"] == []
    assert len(recording.schedules[0].final) == len(recording.kernels) == 2


def classes(of: type) -> Iterator[type]:
    for one in of.__subclasses__():
        yield one
        yield from classes(one)


SILENT = {
    "AllocatingMultiOutput": "one of several results, which the call wrote",
    "AssertScalar": "a check of a size",
    "Conditional": "runs a body, whose kernels are listed",
    "DynamicScalar": "takes a number from a tensor",
    "DynamicSelectStorageOffset": "computes where a part begins",
    "DynamicSliceSize": "computes how long a part is",
    "ExternKernel": "has none of its own",
    "InvokeSubgraph": "runs a body, whose kernels are listed",
    "MemoryCheckKernel": "a check of PyTorch's own tests",
    "MultiOutput": "one of several results, which the call made",
    "SubgraphBuffer": "is written as the kernels of its graph",
    "Switch": "runs a body, whose kernels are listed",
    "TMADescriptor": "an argument of a kernel",
    "WhileLoop": "runs a body, whose kernels are listed",
}
"""Classes that write no call of a library."""
TELLS = ("codegen_comment(", "generate_extern_kernel_", "self._codegen(wrapper")
"""How a class tells PyTorch's own tracing which kernel it calls, which is watched."""


def writer(of: type) -> tuple[str, str]:
    """The class whose `codegen` writes for a class, and the text of that; not what hands it on."""
    for base in of.__mro__:
        if "codegen" in vars(base):
            text = inspect.getsource(vars(base)["codegen"])
            if "super().codegen(" not in text:
                return base.__name__, text
    raise AssertionError(of)


def test_no_class_writes_a_call_unseen() -> None:
    importlib.import_module("torch._inductor.mkldnn_ir")
    watched = {row.name.partition(".")[0] for row in hooks.UNTOLD}
    unseen = set[str]()
    for one in classes(ir.ExternKernel):
        if not one.__module__.startswith("torch."):
            continue
        name, text = writer(one)
        if not (name in watched | SILENT.keys() or any(told in text for told in TELLS)):
            unseen.add(one.__name__)
    assert unseen == set()

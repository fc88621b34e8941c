"""Modules of PyTorch's that Python calls are compiled where the advice is followed."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn

import dynamo_lab as lab
from dynamo_lab.view import build

pytestmark = pytest.mark.live
Parallel = nn.parallel.DistributedDataParallel
x = torch.ones(2, 4)


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path, None, None]:
    """A process group of one rank."""
    if not dist.is_available() or not dist.is_gloo_available():
        pytest.skip("this PyTorch has no gloo")
    folder = tmp_path_factory.mktemp("group")
    dist.init_process_group("gloo", rank=0, world_size=1, init_method=(folder / "store").as_uri())
    yield folder
    dist.destroy_process_group()


def layers() -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU())


def compiled(program: Any) -> Any:
    return torch.compile(program, backend="eager")


def trained(call: Callable[[Tensor], Tensor]) -> lab.Recording:
    with lab.record() as recorder:
        call(x).sum().backward()
    return recorder.recording


def left(recording: lab.Recording) -> list[tuple[str, str]]:
    found = build(recording).findings.found
    return [(one.sentence, one.code) for one in found if one.rule == "left-to-python"]


@pytest.mark.usefixtures("group")
def test_a_sequential_under_ddp_is_compiled_if_it_was_before_it_was_wrapped() -> None:
    after = trained(compiled(Parallel(layers())))
    ((sentence, code),) = left(after)
    assert not after.captured_graphs()
    assert sentence.startswith("`Sequential.forward`, ")
    assert "called by DDP" in sentence
    assert code == "model = DistributedDataParallel(torch.compile(model))"
    advice = " ".join(text for item in build(after).breaks for text in item.advice)
    assert "`DistributedDataParallel(torch.compile(model))`" in advice
    before = trained(Parallel(compiled(layers())))
    assert len(before.captured_graphs()) == 1
    assert not left(before)


@pytest.mark.usefixtures("group")
def test_it_is_said_of_a_function_that_calls_ddp_too() -> None:
    wrapped = Parallel(layers())

    def step(x: Tensor) -> Tensor:
        return wrapped(x) * 2

    recording = trained(compiled(step))
    assert left(recording)


def test_a_module_that_python_calls_is_compiled_by_itself() -> None:
    net: Any = layers()

    @torch.compiler.disable(recursive=False)
    def called(x: Tensor) -> Tensor:
        return net(x)

    def f(x: Tensor) -> Tensor:
        return called(x) + 1

    recording = trained(compiled(f))
    ((sentence, code),) = left(recording)
    assert "called by Python" in sentence
    assert code == "model = torch.compile(model)"
    net = compiled(net)
    mended = trained(compiled(f))
    assert len(mended.captured_graphs()) == len(recording.captured_graphs()) + 1
    assert not left(mended)


def test_the_method_compile_of_such_a_module_is_a_help_from_2_14_on() -> None:
    net = layers()
    net.compile(backend="eager")
    recording = trained(net)
    is_help = torch.__version__ >= "2.14"
    assert bool(recording.captured_graphs()) is is_help
    assert bool(left(recording)) is not is_help
    assert trained(compiled(layers())).captured_graphs()

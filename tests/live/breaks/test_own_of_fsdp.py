"""What FSDP2 breaks itself, told apart from the break that a line of the reader's makes."""

from collections.abc import Generator
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

import dynamo_lab as lab
from dynamo_lab.view import build
from tests.live.lines import line_of

pytestmark = [pytest.mark.live, pytest.mark.slow]


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        print(end="")
        return self.second(x)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Generator[lab.Recording]:
    """Layers that are sharded and compiled as a whole, in a process group of one rank."""
    if not dist.is_available() or not dist.is_gloo_available():
        pytest.skip("this PyTorch has no gloo")
    store = tmp_path_factory.mktemp("group") / "store"
    dist.init_process_group("gloo", rank=0, world_size=1, init_method=store.as_uri())
    try:
        model = Layers()
        for part in (model.first, model.second, model):
            fully_shard(part, mesh=init_device_mesh("cpu", (1,)))
        with lab.record() as recorder:
            compiled: Any = torch.compile(model, backend="eager")
            compiled(torch.ones(2, 8))
        yield recorder.recording
    finally:
        dist.destroy_process_group()


def test_the_hooks_of_fsdp_are_told_from_a_break_of_the_readers(recording: lab.Recording) -> None:
    told = {item.where.rpartition(" ")[2]: item for item in build(recording).breaks}
    first, printed, second = (
        str(line_of(Layers.forward, text)) for text in ("self.first(x)", "print(", "self.second(x)")
    )
    assert {at: item.title for at, item in told.items()} == {
        first: "FSDP's own hook", printed: "print call", second: "FSDP's own hook",
    }  # fmt: skip
    for at, item in told.items():
        is_own = item.advice[0].startswith("Nothing of yours breaks here: FSDP")
        assert is_own == (at != printed)
        assert bool(item.fixes) == (at == printed), "only the reader's is to be mended"


def test_only_the_readers_break_has_code_to_write(recording: lab.Recording) -> None:
    found = {
        one.sentence: one.code for one in recording.findings if "breaks the graph" in one.sentence
    }
    assert len(found) == 3
    for sentence, code in found.items():
        assert bool(code) == ("print call" in sentence)
        assert ("FSDP's own hook" in sentence) == ("print call" not in sentence)

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dynamo_lab.measure import limits as measuring
from dynamo_lab.measure import machine as measure_machine
from dynamo_lab.measure.devices import Cpu
from dynamo_lab.measure.limits import Store, limits_of, measure
from dynamo_lab.measure.rounds import Progress, Watch
from dynamo_lab.model.benchmarks import Limits, Machine
from dynamo_lab.render.terminal.benchmarks.roofline import limits_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MACHINE = Machine(device="cpu", processor="A processor", threads=2)
LIMITS = Limits(device="A processor, 2 threads", bandwidth=1e10, flops={"float32": 1e11})


class SteadyCpu(Cpu):
    """Runs everything once, and says that each call took a millisecond."""

    def seconds(self, work: Callable[[], object], loops: int = 1) -> float:
        work()
        return loops * 1e-3


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Small copies and products, and a folder for what is kept."""
    monkeypatch.setattr(measuring, "_COPIED", (1 << 10, 1 << 12))
    monkeypatch.setattr(measuring, "_SIDES", (4, 8))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(measure_machine, "load", lambda: 0.0)
    return tmp_path / "dynamo_lab" / "limits.json"


@pytest.mark.usefixtures("small")
def test_read_and_write_count_and_two_operations_a_product() -> None:
    found = measure(SteadyCpu(), MACHINE, Watch())
    assert found.device == "A processor, 2 threads"
    assert found.bandwidth == pytest.approx(2 * (1 << 12) / 1e-3)
    assert found.flops["float32"] == pytest.approx(2 * 8**3 / 1e-3)
    assert set(found.flops) == {"float32", "float64", "bfloat16", "float16"}
    assert found.measured


def test_a_type_that_the_device_lacks_has_no_limit(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    plain = torch.mm

    def picky(left: torch.Tensor, right: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
        if left.dtype is torch.float64:
            raise TypeError("the MPS framework doesn't support float64")
        if left.dtype is torch.bfloat16:
            raise RuntimeError("not implemented for 'BFloat16'")
        return plain(left, right, out=out)

    monkeypatch.setattr(torch, "mm", picky)
    assert set(measure(SteadyCpu(), MACHINE, Watch()).flops) == {"float32", "float16"}
    assert not small.exists()


@pytest.mark.usefixtures("small")
def test_no_more_is_taken_than_a_part_of_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "free_memory", lambda: 4 * 2 * (1 << 10))
    assert measure(SteadyCpu(), MACHINE, Watch()).bandwidth == pytest.approx(2 * (1 << 10) / 1e-3)
    monkeypatch.setattr(measuring, "free_memory", lambda: 4 * 1500)
    found = measure(SteadyCpu(), MACHINE, Watch())
    assert found.bandwidth == 0
    assert "too little memory" in limits_text(found)
    assert found.flops["float32"] == pytest.approx(2 * 8**3 / 1e-3)
    assert found.flops["float64"] == pytest.approx(2 * 4**3 / 1e-3)
    monkeypatch.setattr(measuring, "free_memory", lambda: 100)
    found = measure(SteadyCpu(), MACHINE, Watch())
    assert (found.bandwidth, found.flops) == (0, {})


def test_limits_are_measured_once_and_again_when_asked(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = list[int]()

    def counted(*_: object) -> Limits:
        measured.append(1)
        return Limits(device="", bandwidth=float(len(measured)))

    monkeypatch.setattr(measuring, "measure", counted)
    assert [limits_of("cpu").bandwidth for _ in range(2)] == [1, 1]
    assert limits_of(Cpu(), again=True).bandwidth == 2
    assert limits_of("cpu").bandwidth == 2
    assert small.is_file()


def test_limits_of_a_busy_machine_are_not_kept(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(*_: object) -> Limits:
        return Limits(device="", bandwidth=1.0)

    monkeypatch.setattr(measuring, "measure", told)
    monkeypatch.setattr(measure_machine, "load", lambda: 1e6)
    assert limits_of("cpu").bandwidth == 1
    assert not small.exists()


@pytest.mark.usefixtures("small")
def test_other_threads_are_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    threads = [1, 2]
    monkeypatch.setattr(torch, "get_num_threads", threads.pop)

    def told(_: object, machine: Machine, *__: object) -> Limits:
        return Limits(device="", bandwidth=float(machine.threads))

    monkeypatch.setattr(measuring, "measure", told)
    assert [limits_of("cpu").bandwidth for _ in range(2)] == [2, 1]


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\x00", b"[]", b"{", b'{"key": 1}', b'{"key": {"device": "", "bandwidth": -1}}',
     b'{"key": {"device": "", "bandwidth": "fast"}}', b"[" * 100_000],
)  # fmt: skip
def test_a_damaged_file_is_as_none_and_mended(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "limits.json"
    path.write_bytes(content)
    store = Store(path)
    assert store.read("key") is None
    assert store.keep("key", LIMITS) == LIMITS
    assert store.read("key") == LIMITS


def test_others_are_kept_beside(tmp_path: Path) -> None:
    store = Store(tmp_path / "limits.json")
    store.keep("one", LIMITS)
    store.keep("other", LIMITS)
    assert store.read("one") == store.read("other") == LIMITS
    assert [file.name for file in tmp_path.iterdir()] == ["limits.json"]


def test_a_folder_in_the_way_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "limits.json")
    assert store.keep("key", LIMITS) == LIMITS
    assert store.read("key") is None
    (tmp_path / "limits.json").mkdir()
    assert Store(tmp_path / "limits.json").keep("key", LIMITS) == LIMITS
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "limits.json"]


def test_what_is_stopped_keeps_nothing(small: Path) -> None:
    def tell(progress: Progress) -> None:
        if progress.done == 2:
            watch.stop()

    watch = Watch(tell)
    with pytest.raises(KeyboardInterrupt):
        limits_of(SteadyCpu(), watch=watch)
    assert not small.exists()

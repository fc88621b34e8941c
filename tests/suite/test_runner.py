from __future__ import annotations

import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace

from dynamo_lab.__main__ import main
from dynamo_lab.errors import SuiteError
from dynamo_lab.suite import locks, ray_engine, runner, supervisor
from dynamo_lab.suite.ray_engine import RayEngine
from dynamo_lab.suite.results import read
from dynamo_lab.suite.runner import LocalEngine, Order, run_suite, slots, visible_device
from tests.suite.samples import MACHINE, result

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from dynamo_lab.suite.jobs import Job
    from dynamo_lab.suite.results import Result

ORDER = Order(
    models=("a", "b", "c"),
    tasks=("inference", "training"),
    precisions=("amp",),
    device="cuda",
)


class FakeEngine:
    """Finds that everything passes, and counts what it was given."""

    is_here = False

    def __init__(self, stop_after: int | None = None, **more: Any) -> None:
        self.given: list[Job] = []
        self.closed = False
        self._stop_after, self._more = stop_after, more

    def run(self, jobs: Sequence[Job], order: Order) -> Generator[Result]:
        self.given = list(jobs)
        cases = [case for job in jobs for case in job.cases]
        try:
            for number, case in enumerate(cases):
                if number == self._stop_after:
                    raise KeyboardInterrupt
                found = result(case.model, 1.5, task=case.task, precision=case.precision)
                yield replace(found, **self._more)
        finally:
            self.closed = True


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    path = str(tmp_path / "r.jsonl")
    with pytest.raises(KeyboardInterrupt):
        run_suite(ORDER, path, FakeEngine(stop_after=3))
    assert len(read(path).results) == 3
    told: list[tuple[str, int, int]] = []
    engine = FakeEngine()
    run_suite(ORDER, path, engine, report=lambda one, *at: told.append((str(one.case), *at)))
    assert [(job.model, len(job.cases)) for job in engine.given] == [("b", 1), ("c", 2)]
    assert told[0] == ("b training amp", 4, 6)
    assert len(read(path).results) == 6


def test_again_runs_all(tmp_path: Path) -> None:
    path = str(tmp_path / "r.jsonl")
    run_suite(ORDER, path, FakeEngine())
    engine = FakeEngine()
    run_suite(ORDER, path, engine, again=True)
    assert sum(len(job.cases) for job in engine.given) == 6
    assert len(read(path).results) == 6


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"device": "NVIDIA A100"}, "device: NVIDIA H200 against NVIDIA A100"),
        ({"torch": "2.12.0"}, "torch: 2.11.0 against 2.12.0"),
    ],
)
def test_a_file_begun_elsewhere_is_refused(tmp_path: Path, other: Any, reason: str) -> None:
    path = str(tmp_path / "r.jsonl")
    run_suite(replace(ORDER, models=("a",)), path, FakeEngine())
    engine = FakeEngine(machine=replace(MACHINE, **other))
    with pytest.raises(SuiteError, match=reason):
        run_suite(ORDER, path, engine)
    assert engine.closed
    assert len(read(path).results) == 2


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"device": "cpu"}, "device: NVIDIA H200 against cpu"),
        ({"device": "mps"}, "device: NVIDIA H200 against mps"),
        ({"size": "full"}, "size: small against full"),
        ({"ranks": 2}, "ranks: 1 against 2"),
    ],
)
@pytest.mark.parametrize("again", [False, True])
def test_a_file_that_answers_another_order_is_refused_before_anything_runs(
    tmp_path: Path, other: Any, reason: str, again: bool
) -> None:
    path = str(tmp_path / "r.jsonl")
    run_suite(ORDER, path, FakeEngine())
    engine = FakeEngine()
    with pytest.raises(SuiteError, match=f"{reason}. Name another file"):
        run_suite(replace(ORDER, **other), path, engine, again=again)
    assert not engine.given


def test_a_file_of_another_machine_is_refused_where_this_one_runs(tmp_path: Path) -> None:
    path = str(tmp_path / "r.jsonl")
    run_suite(ORDER, path, FakeEngine())
    with pytest.raises(SuiteError, match="processor: Xeon against "):
        run_suite(ORDER, path, LocalEngine())


def test_slots_share_the_devices_and_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    order = Order(models=(), device="cuda", devices=("0", "1"), workers=4)
    made = slots(order, cores=16)
    assert [slot.name for slot in made] == ["cuda-0", "cuda-1", "cuda-0", "cuda-1"]
    assert made[1].environment["CUDA_VISIBLE_DEVICES"] == "1"
    assert made[0].environment["TORCHINDUCTOR_COMPILE_THREADS"] == "4"
    assert len(slots(Order(models=(), device="cuda"), cores=16)) == 8
    assert [slot.name for slot in slots(Order(models=()), cores=16)] == ["cpu"]


def test_ranks_have_a_gpu_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    order = replace(ORDER, device="cuda", ranks=2, devices=())
    [slot] = slots(order, cores=8)
    assert slot.environment["CUDA_VISIBLE_DEVICES"] == "0,1"
    assert slot.environment["TORCHINDUCTOR_COMPILE_THREADS"] == "4"
    [slot] = slots(replace(order, devices=("3", "1", "2")), cores=8)
    assert slot.environment["CUDA_VISIBLE_DEVICES"] == "3,1"
    with pytest.raises(SuiteError, match="2 ranks need as many devices"):
        slots(replace(order, devices=("3",)))
    [slot] = slots(replace(order, device="cpu"))
    assert "CUDA_VISIBLE_DEVICES" not in slot.environment


def test_numbers_count_the_gpus_that_we_may_see(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5, 7")
    assert visible_device("1") == "7"
    with pytest.raises(SuiteError, match="There is no device 2: pass 0 to 1"):
        visible_device("2")


def test_without_locks_there_is_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "CAN_LOCK", False)
    with pytest.raises(SuiteError, match="pass --workers 1"):
        slots(Order(models=(), workers=2))


def test_one_at_a_time_has_the_device() -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with locks.alone("test/one"):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


WORKER = """
import json, os, sys
job = json.load(open(sys.argv[1]))
for case in job["cases"]:
    if case["model"] == "b":
        os.abort()
    with open(sys.argv[2], "a") as file:
        print(json.dumps({"type": "done", "result": {"case": case, "verdict": "pass"}}), file=file)
"""


@pytest.fixture
def fake_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "worker.py").write_text(WORKER)
    command = (sys.executable, str(tmp_path / "worker.py"))

    def supervise(*args: Any, **options: Any) -> Any:
        return supervisor.supervise(*args, **options, command=command)

    for module in (runner, ray_engine):
        monkeypatch.setattr(module, "supervise", supervise)


@pytest.mark.usefixtures("fake_worker")
def test_processes_run_side_by_side_and_one_may_crash() -> None:
    order = replace(ORDER, workers=2)
    jobs = runner.jobs_of(order.cases, order)
    found = {str(one.case): one.verdict for one in LocalEngine().run(jobs, order)}
    assert len(found) == 6
    assert {name for name, verdict in found.items() if verdict == "crashed"} == {
        "b inference amp",
        "b training amp",
    }


class FakeRay:
    """What of Ray is used, in this process."""

    def __init__(self, gpus: float = 2.0) -> None:
        self.asked: dict[str, Any] = {}
        self.cancelled = 0
        self.gpus = gpus

    def is_initialized(self) -> bool:
        return False

    def init(self, **options: Any) -> None:
        self.asked |= options

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 8.0, "GPU": self.gpus}

    def remote(self, **uses: Any) -> Any:
        self.asked |= uses

        def wrap(function: Any) -> Any:
            return type("Task", (), {"remote": staticmethod(lambda *a: lambda: function(*a))})

        return wrap

    def wait(self, references: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        return references[:num_returns], references[num_returns:]

    def get(self, reference: Any) -> Any:
        return reference()

    def cancel(self, reference: Any, force: bool) -> None:
        self.cancelled += 1


@pytest.mark.usefixtures("fake_worker")
def test_an_engine_writes_the_same_file(tmp_path: Path) -> None:
    ray, path = FakeRay(), str(tmp_path / "r.jsonl")
    order = replace(ORDER, device="cuda", workers=4)
    run_suite(order, path, RayEngine("head:6379", ray))
    assert len(read(path).results) == 6
    assert ray.asked["num_gpus"] == 0.25
    assert ray.asked["address"] == "head:6379"


@pytest.mark.usefixtures("fake_worker")
def test_an_engine_left_early_cancels_what_is_left() -> None:
    ray = FakeRay()
    results = RayEngine(ray=ray).run(runner.jobs_of(ORDER.cases, ORDER), ORDER)
    next(results)
    results.close()
    assert ray.cancelled == 2


def test_a_cluster_without_gpus_is_not_waited_for() -> None:
    order = replace(ORDER, device="cuda")
    with pytest.raises(SuiteError, match="The Ray cluster has no GPU"):
        list(RayEngine(ray=FakeRay(gpus=0.0)).run(runner.jobs_of(order.cases, order), order))


def test_without_ray_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SuiteError, match=r'pip install "dynamo-lab\[sweep\]"'):
        RayEngine()


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["--models", "bret"], "There is no model 'bret'"),
        (["--workers", "0"], "--workers 0 runs nothing"),
        (["--ranks", "0"], "--ranks 0 runs nothing"),
        (["--ranks", "2", "--training"], "leave out the other tasks"),
        (["--ranks", "2", "--device", "mps"], "no ranks on mps"),
        (["--limit-seconds", "0"], "--limit-seconds leaves no time"),
        (["--show", "no.jsonl"], "There is no file 'no.jsonl'"),
        (["--compare", "no.jsonl", "no.jsonl"], "There is no file 'no.jsonl'"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: list[str], advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["suite", *arguments]) == 2
    assert advice in capsys.readouterr().err


def test_a_terminated_run_prints_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Terminated(FakeEngine):
        def run(self, jobs: Sequence[Job], order: Order) -> Generator[Result]:
            for number, found in enumerate(super().run(jobs, order)):
                if number == 2:
                    signal.raise_signal(signal.SIGTERM)
                yield found

    monkeypatch.setattr(runner, "LocalEngine", Terminated)
    before = signal.getsignal(signal.SIGTERM)
    arguments = ["--models", "mlp,unet,gru", "--results", str(tmp_path / "r.jsonl"), "--json"]
    assert main(["suite", *arguments]) == 130
    out, err = capsys.readouterr()
    assert len(msgspec.json.decode(out)["rows"]) == 2
    assert "continues from here" in err
    assert signal.getsignal(signal.SIGTERM) == before

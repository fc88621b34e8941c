"""Dumps of the flight recorder: a hang is named from them, and nothing in one is ever run."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from typing import TYPE_CHECKING, Any

import pytest

import dynamo_lab as lab
from dynamo_lab.__main__ import main
from dynamo_lab.errors import DynamoLabError, TraceError
from tests.traces.committed import LOGS

if TYPE_CHECKING:
    from pathlib import Path

TORCH = "/usr/lib/python3/site-packages/torch/distributed"


def entry(number: int, line: int, name: str = "nccl:all_reduce", **facts: Any) -> dict[str, Any]:
    """A call as NCCL's groups remember it."""
    frames = [
        {"name": "all_reduce", "filename": f"{TORCH}/distributed_c10d.py", "line": 3000},
        {"name": "train", "filename": "/home/me/train.py", "line": line},
    ]
    known = {
        "frames": frames, "record_id": number - 1, "pg_id": 0, "process_group": ("0", "default_pg"),
        "collective_seq_id": number, "p2p_seq_id": 0, "op_id": number, "profiling_name": name,
        "time_created_ns": number * 10**9, "input_sizes": [[8]], "input_dtypes": ["Float"],
        "output_sizes": [[8]], "output_dtypes": ["Float"], "state": "completed", "retired": True,
        "time_discovered_started_ns": None, "timeout_ms": 600_000, "is_p2p": False,
    }  # fmt: skip
    return {**known, **facts}


def dump(*entries: dict[str, Any]) -> dict[str, Any]:
    config = {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}
    return {"version": "2.10", "pg_config": config, "entries": list(entries)}


WAITS = {"state": "started", "retired": False}


def hang(folder: Path, as_json: bool = False) -> Path:
    """Rank 0 waits in its third call, which rank 1 never made."""
    whole = {
        0: dump(entry(1, 4), entry(2, 5), entry(3, 6, **WAITS)),
        1: dump(entry(1, 4), entry(2, 5)),
    }
    for rank, one in whole.items():
        data = json.dumps(one).encode() if as_json else pickle.dumps(one, protocol=2)
        (folder / f"nccl_trace_rank_{rank}").write_bytes(data)
    return folder


def test_what_inductor_wrote_is_no_line_of_the_readers(tmp_path: Path) -> None:
    """As on two H100s: an all_reduce that compiled code calls, from Inductor's file."""
    written = f"/tmp/torchinductor_me/rg/c{'rgzdo233' * 6}acb.py"
    frames = [
        {"name": "call", "filename": written, "line": 94},
        {"name": "train", "filename": "/home/me/train.py", "line": 8},
    ]
    for rank in range(2):
        data = pickle.dumps(dump(entry(1, 8, frames=frames)), protocol=2)
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(data)
    (one,) = lab.open_job(tmp_path).collectives
    assert "train.py, line 8" in one.where


@pytest.mark.parametrize("as_json", [False, True])
def test_a_hang_is_named_with_rank_collective_and_line(tmp_path: Path, as_json: bool) -> None:
    job = lab.open_job(hang(tmp_path, as_json))
    first = job.findings[0]
    assert "`all_reduce`" in first
    assert "rank 0" in first.lower()
    assert "rank 1" in first.lower()
    assert "train.py, line 6" in first
    assert [one.bytes for one in job.collectives] == [32, 32, 32]
    assert job.collectives[2].absent == (1,)
    assert "What the ranks compiled is not known" in str(job)
    assert set(job.ranks().rows[0][2:]) == {"?"}


def test_with_logs_beside_the_graphs_differ_too(tmp_path: Path) -> None:
    for log in (LOGS / "torch-2.11-nccl-hang").iterdir():
        shutil.copy(log, tmp_path)
    job = lab.open_job(hang(tmp_path))
    assert "train.py, line 6" in job.findings[0]
    assert any(one.startswith("Collectives differ: number 3 is missing") for one in job.findings)
    assert job["rank 0"].graphs
    assert "is not known" not in str(job)
    assert "?" not in job.ranks().rows[0]


def test_a_rank_without_a_dump_is_missed(tmp_path: Path) -> None:
    (hang(tmp_path) / "nccl_trace_rank_1").unlink()
    assert "There is no dump of rank 1." in str(lab.open_job(tmp_path))


def test_the_command_reads_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(hang(tmp_path)), "--json", str(tmp_path / "run.json")]) == 0
    assert "train.py, line 6" in capsys.readouterr().out
    saved = lab.open_job(tmp_path / "run.json")
    assert len(saved.collectives) == 3
    assert main(["import", str(tmp_path), "--rank", "1"]) == 0
    assert main(["import", str(tmp_path), "--rank", "7"]) != 0


def test_earlier_calls_that_the_ring_lost_are_counted(tmp_path: Path) -> None:
    (tmp_path / "x_rank_0").write_bytes(pickle.dumps(dump(entry(9, 4)), protocol=2))
    [rank] = [one.rank for one in lab.open_job(tmp_path).values()]
    assert rank is not None
    assert rank.forgotten == 8


class Runs:
    """A pickle of it would call a function."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.mark),)


def itself() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"{}x",
        b"[" * 100_000,
        b"not a pickle",
        pickle.dumps(dump(entry(1, 4)))[:-20],
        pickle.dumps([1, 2]),
        pickle.dumps({"entries": itself()}),
        pickle.dumps(dump(entry(1, 4, profiling_name=[["x"]]))),
        pickle.dumps(dump(entry(1, 4, time_created_ns="soon"))),
        pickle.dumps(dump(entry(1, 4, process_group=("0",)))),
        b"\x80\x02r\xff\xff\xff\x7f.",  # a memo of two thousand million
        b"\x80\x02]" + b"(" * 1000 + b".",
    ],
)
def test_what_is_no_dump_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "dump_rank_0").write_bytes(data)
    with pytest.raises(TraceError, match=r"is no dump of PyTorch's flight recorder"):
        lab.open_job(tmp_path)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_nothing_in_a_pickle_runs(tmp_path: Path, protocol: int) -> None:
    mark = tmp_path / "ran"
    whole = {**dump(entry(1, 4)), "more": Runs(mark)}
    (tmp_path / "dump_rank_0").write_bytes(pickle.dumps(whole, protocol=protocol))
    with pytest.raises(TraceError, match="is not plain data"):
        lab.open_job(tmp_path)
    assert not mark.exists()


@pytest.mark.parametrize(
    "facts",
    [
        {"frames": [{"name": "f", "filename": "/etc/passwd", "line": 1}]},
        {"frames": [{"name": "f", "filename": "/home/me/a.py", "line": -(10**12)}]},
        {"input_sizes": [[-1]], "input_dtypes": []},
        {"profiling_name": "</script>\x1b[31m\u2028"},
        {"collective_seq_id": 2**62},
    ],
)
def test_hostile_facts_are_shown_as_text_or_refused(tmp_path: Path, facts: Any) -> None:
    (tmp_path / "dump_rank_0").write_bytes(pickle.dumps(dump(entry(1, 4, **facts)), protocol=2))
    try:
        job = lab.open_job(tmp_path)
    except DynamoLabError:
        return
    text, html = str(job), job._repr_mimebundle_()["text/html"]
    assert "\x1b" not in text
    assert "</script>\x1b" not in html
    assert "root:" not in text + html

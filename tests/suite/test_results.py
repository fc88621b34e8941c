from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from dynamo_lab.errors import SuiteError
from dynamo_lab.suite.results import append, incomparable, read, still_to_do
from tests.suite.samples import MACHINE, result

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "suite.jsonl"


def test_what_is_appended_is_read_and_the_last_of_a_case_counts(path: Path) -> None:
    append(path, result("bert"))
    append(path, result("gpt2", 2.0))
    append(path, result("bert", 1.5))
    assert read(path).results == (result("gpt2", 2.0), result("bert", 1.5))


def test_a_line_cut_short_is_skipped_and_the_next_begins_a_line_of_its_own(path: Path) -> None:
    append(path, result("bert", 1.5))
    append(path, result("gpt2", 2.0))
    path.write_bytes(path.read_bytes()[:-30])
    assert (len(read(path).results), read(path).damaged) == (1, 1)
    append(path, result("gpt2", 3.0))
    assert read(path).results == (result("bert", 1.5), result("gpt2", 3.0))


@pytest.mark.parametrize("text", [b"\xff\xfe", b"[" * 5000, b'{"case": 1}', b"{}\n{}"])
def test_a_file_of_something_else_is_refused(path: Path, text: bytes) -> None:
    path.write_bytes(text)
    with pytest.raises(SuiteError, match="holds no results of a suite"):
        read(path)


def test_a_missing_file_is_empty_only_where_a_run_begins(path: Path) -> None:
    assert read(path, must_exist=False).results == ()
    with pytest.raises(SuiteError, match="There is no file"):
        read(path)


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="cannot be written"):
        append(tmp_path / "no" / "file", result())


def test_what_failed_is_done_but_a_missing_package_is_tried_again() -> None:
    found = [result("a"), result("b", verdict="not installed"), result("c", 1.0)]
    cases = [result(name).case for name in "abcd"]
    assert [case.model for case in still_to_do(cases, found)] == ["b", "d"]


def test_releases_may_be_compared_and_machines_may_not() -> None:
    here = [result("a", 1.0)]
    newer = [result("a", 1.0, machine=replace(MACHINE, torch="2.12.0", threads=4))]
    other = [result("a", 1.0, machine=replace(MACHINE, device="NVIDIA A100"))]
    small = [result("a", 1.0, size="full")]
    assert incomparable(here, newer) == ""
    assert incomparable(here, other) == "device: NVIDIA H200 against NVIDIA A100"
    assert incomparable(here, small) == "size: small against full"


def test_threads_matter_where_they_compute() -> None:
    cpu = replace(MACHINE, device="cpu")
    runs = [[result("a", 1.0, machine=replace(cpu, threads=n))] for n in (2, 4)]
    assert incomparable(*runs) == "threads: 2 against 4"

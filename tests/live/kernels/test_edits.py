"""Edits of a generated kernel: built apart, checked, refused, timed; nothing stays behind."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.api.edited import Edited
from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import EditError

ADDS = "static_cast<float>(1.0)"
OURS = "DYNAMO_LAB_TEST_OF_EDITS"
"""In the environment of what a test here starts, and of nothing that runs beside it."""


def program(x: torch.Tensor) -> torch.Tensor:
    return (x + 1.0).sin().softmax(-1)


@pytest.fixture(scope="module")
def recording() -> Recording:
    return lab.explore(program, torch.randn(16, 64))


def replaced(old: str, new: str) -> Callable[[str], str]:
    def change(code: str) -> str:
        assert old in code
        return code.replace(old, new)

    return change


def line_of(edited: Edited[Recording], part: str) -> int:
    return next(i for i, row in enumerate(edited.after.split("\n"), 1) if part in row)


@pytest.mark.slow
def test_a_right_edit_is_checked_timed_and_taken_out_again(recording: Recording) -> None:
    from dynamo_lab.capture.kernels.edited import definition, modules_with

    edited = recording.edit_kernel(0, replaced(ADDS, "static_cast<float>(0.5 + 0.5)"))
    assert (edited.verdict, edited.reason, edited.calls) == ("right", "", 1)
    assert {one.verdict for one in edited.comparisons} <= {"equal", "close"}
    assert edited.comparisons[-1].value == "output 0"
    timed = [(one.what, one.cache) for one in edited.timings]
    assert timed == [("kernel", "warm"), ("kernel", "cold"), ("program", "warm")]
    for one in edited.timings:
        assert len(one.original) == len(one.edited) > 0
        assert all(seconds > 0 for seconds in one.original + one.edited)
    told = str(edited)
    assert "0.5 + 0.5" in told
    assert "It is right." in told

    original = definition(recording.kernels[0].name, recording.wrappers[0].code)
    kernels = [vars(m)[original.name] for m in modules_with(original)]
    assert kernels
    torch.testing.assert_close(
        torch.compile(program)(torch.ones(16, 64)), program(torch.ones(16, 64))
    )

    kept = edited.recording
    assert kept.kernels[0].code == edited.after
    assert kept.benchmark is not None
    assert [way.kind for way in kept.benchmark.ways] == ["compiled", "edited"]
    same = {s.line for s in kept.kernels[0].statements} & {
        s.line for s in recording.kernels[0].statements
    }
    assert same


@pytest.mark.slow
def test_a_wrong_edit_is_refused_and_says_where(recording: Recording) -> None:
    edited = recording.edit_kernel(recording.kernels[0].name, replaced(ADDS, "2.5f"))
    assert edited.verdict == "wrong"
    assert edited.timings == ()
    assert edited.worst is not None
    assert edited.worst.expected != edited.worst.got
    assert edited.worst.value.startswith("out_ptr") or edited.worst.value.startswith("in_out")
    assert f"{edited.worst.value}[" in str(edited)


@pytest.mark.slow
def test_what_does_not_compile_has_the_compilers_words_at_their_line(recording: Recording) -> None:
    edited = recording.edit_kernel(0, replaced("auto tmp2 =", "auto tmp2 = missing +"))
    assert edited.verdict == "not built"
    first = edited.diagnostics[0]
    assert (first.severity, first.line) == ("error", line_of(edited, "missing"))
    assert "missing" in first.message
    assert f"line {first.line}: error:" in str(edited)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "seconds", "said"),
    [
        ("*(volatile int*)8 = 1; ", 30.0, "segmentation fault"),
        ("volatile int turns = 1; while (turns) {} ", 2.0, "did not end within 2 s"),
        ("((float*)in_ptr0)[16 * 64 + 5] = 1; ", 30.0, "out of bounds"),
        ('for (;;) fprintf(stderr, "%1024d", 1); ', 30.0, "more than 16 MB of messages"),
        (
            "for (;;) { char* p = new char[1 << 28]; memset(p, 1, 1 << 28); }",
            30.0,
            "more than 4 GB of memory",
        ),
        ("if (fork() == 0) for (;;) sleep(1); exit(3);", 30.0, "exit code 3"),
        ("if (fork() == 0) for (;;) sleep(1);", 30.0, "it starts other processes"),
        (
            "FILE* o = tmpfile(); char b[4096] = {}; "
            "for (int i = 0; i < 8192; i++) fwrite(b, 1, 4096, o); fclose(o);",
            30.0,
            "more than 16 MB of messages, or to a file",
        ),
        ("fork();", 30.0, "it starts other processes"),
    ],
)
def test_what_crashes_or_never_ends_does_so_elsewhere(
    recording: Recording, change: str, seconds: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OURS, str(os.getpid()))
    edited = recording.edit_kernel(0, replaced(")\n{\n", f")\n{{\n{change}\n"), seconds=seconds)
    assert edited.verdict == "failed"
    assert said in edited.reason
    assert edited.timings == ()
    for _ in range(3000):  # what is killed does not end at once
        if not running("dynamo_lab.live.edit_process"):
            break
        time.sleep(0.02)
    assert not running("dynamo_lab.live.edit_process")


def test_what_is_left_running_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OURS, str(os.getpid()))
    command = [sys.executable, "-c", "print(flush=True); input()", "a module of this name"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()  # before it runs, the system may not know its words yet
            assert running("a module of this name")
        finally:
            process.kill()


def running(module: str) -> list[str]:
    """The commands that run a module with our mark, whoever is their parent by now."""
    mark = f"{OURS}={os.getpid()}".encode()
    found: list[str] = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile, or is another user's
            command = (place / "cmdline").read_bytes().decode()
            if module in command and mark in (place / "environ").read_bytes().split(b"\0"):
                found.append(command)
    return found


@pytest.mark.slow
def test_what_cannot_be_edited_says_why(recording: Recording) -> None:
    with pytest.raises(EditError, match=r"There is no kernel 9: pass 0 \("):
        recording.edit_kernel(9, "")
    with lab.record() as recorder:
        torch.compile(program)(torch.randn(4, 8))
    with pytest.raises(EditError, match="There is no program to run an edited kernel in"):
        recorder.recording.edit_kernel(0, "x")
    product = lab.explore(torch.mm, torch.randn(4, 4), torch.randn(4, 4))
    with pytest.raises(EditError, match="is a library kernel"):
        product.edit_kernel(0, "x")
    with pytest.raises(EditError, match="There is no code to run"):
        recording.edit_kernel(0, lambda _: "")


@pytest.mark.slow
def test_a_triton_kernel_for_a_gpu_is_checked_without_one() -> None:
    pytest.importorskip("triton")
    lowered = lab.lower(program, torch.randn(16, 64), target="cuda:sm_90")
    broken = lowered.edit_kernel(0, replaced("tmp2 = tmp0 + tmp1", "tmp2 = tmp0 + missing"))
    assert broken.verdict == "not built"
    assert broken.diagnostics[0].line == line_of(broken, "missing")
    wrong = lowered.edit_kernel(0, replaced("tmp2 = tmp0 + tmp1", "tmp2 = tmp0 - tmp1"))
    assert (wrong.verdict, wrong.timings) == ("wrong", ())
    right = lowered.edit_kernel(0, replaced("tmp2 = tmp0 + tmp1", "tmp2 = tmp1 + tmp0"))
    assert right.verdict == "right"
    assert "not timed" in right.reason


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_triton_kernel_is_edited_on_its_device() -> None:
    recording = lab.explore(program, torch.randn(16, 64, device="cuda"))
    right = recording.edit_kernel(0, replaced("tmp2 = tmp0 + tmp1", "tmp2 = tmp1 + tmp0"))
    assert right.verdict == "right"
    assert [(one.what, one.cache) for one in right.timings] == [
        ("kernel", "warm"),
        ("kernel", "cold"),
        ("program", "warm"),
    ]
    wrong = recording.edit_kernel(0, replaced("tmp2 = tmp0 + tmp1", "tmp2 = tmp0 - tmp1"))
    assert (wrong.verdict, wrong.timings) == ("wrong", ())
    broken = recording.edit_kernel(0, replaced("tmp2 = tmp0 + tmp1", "tmp2 = tmp0 + missing"))
    assert broken.verdict == "not built"
    assert broken.diagnostics[0].line == line_of(broken, "missing")

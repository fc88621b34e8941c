"""Annotations that GitHub understands, whatever the text in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from dynamo_lab.__main__ import main
from dynamo_lab.api.check import found_misses
from dynamo_lab.model.core.codec import save
from dynamo_lab.render.export.github import annotations, repository_root, summary
from dynamo_lab.view.compare.misses import Miss

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording

replace = msgspec.structs.replace


def of_file(sample: Recording, path: str) -> Recording:
    """The sample, its source a file."""
    return replace(sample, sources=(replace(sample.sources[0], path=path, kind="user"),))


def read(command: str) -> tuple[dict[str, str], str]:
    """Properties and message of a command, decoded as the runner does."""
    found = re.fullmatch(r"::error ([^:\n]*)::(.*)", command)
    assert found is not None, command
    properties = dict(part.split("=", 1) for part in found[1].split(","))
    codes = {"%3A": ":", "%2C": ",", "%0D": "\r", "%0A": "\n", "%25": "%"}

    def plain(text: str) -> str:
        return re.sub("%(?:3A|2C|0D|0A|25)", lambda code: codes[code[0]], text)

    return {name: plain(value) for name, value in properties.items()}, plain(found[2])


def told(recording: Recording, root: Path, **expected: int) -> list[tuple[dict[str, str], str]]:
    return [read(one) for one in annotations(recording, found_misses(recording, expected), root)]


def test_a_break_is_at_its_line(sample: Recording, tmp_path: Path) -> None:
    recording = of_file(sample, str(tmp_path / "src" / "model.py"))
    assert told(recording, tmp_path, breaks=0) == [
        (
            {
                "file": "src/model.py",
                "line": "3",
                "title": "dynamo_lab: expected 0 breaks, found 1",
            },
            "model.py, line 3: Data-dependent branching (GB0170)",
        )
    ]


def test_a_kernel_is_at_the_line_that_it_computes(sample: Recording, tmp_path: Path) -> None:
    recording = of_file(sample, str(tmp_path / "model.py"))
    ((place, message),) = told(recording, tmp_path, max_kernels=0)
    assert (place["file"], place["line"]) == ("model.py", "2")
    assert message == "cpp_fused_add_relu_0 (cpp)"


@pytest.mark.parametrize("path", ["/elsewhere/model.py", "<string>"])
def test_what_is_in_no_file_of_the_repository_has_no_place(
    sample: Recording, tmp_path: Path, path: str
) -> None:
    for recording in (sample, of_file(sample, path)):
        ((place, message),) = told(recording, tmp_path, breaks=0)
        assert place.keys() == {"title"}
        assert "line 3" in message


def test_a_relative_path_is_seen_from_the_root(
    sample: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    ((place, _),) = told(of_file(sample, "model.py"), tmp_path, breaks=0)
    assert place["file"] == "a/model.py"


def test_a_miss_without_facts_is_told(sample: Recording, tmp_path: Path) -> None:
    ((place, message),) = told(replace(sample, breaks=()), tmp_path, breaks=2)
    assert place == {"title": "dynamo_lab: expected 2 breaks, found 0"}
    assert message == "expected 2 breaks, found 0"


def test_hostile_text_ends_no_command_and_begins_none(sample: Recording, tmp_path: Path) -> None:
    evil = "100%,a:b::x\r\n::error file=/etc/passwd::gone\x1b[31m%0A"
    recording = of_file(sample, str(tmp_path / "a,b:c%0A\n.py"))
    recording = replace(recording, breaks=(replace(sample.breaks[0], gb_type=evil),))
    lines = list(annotations(recording, found_misses(recording, {"breaks": 0}), tmp_path))
    assert len(lines) == 1
    assert not any(character in lines[0] for character in "\r\n\x1b")
    place, message = read(lines[0])
    assert place["file"] == "a,b:c%0A\n.py"
    assert "100%,a:b::x ::error file=/etc/passwd::gone" in message


def test_the_report_in_the_log_gives_no_commands(
    sample: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(replace(sample, title="::error::forged"), tmp_path / "run.json")
    assert main(["check", str(tmp_path / "run.json"), "--breaks", "0", "--format", "github"]) == 1
    lines = capsys.readouterr().out.split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith("::error::forged"))
    stopped = re.fullmatch(r"::stop-commands::(\w{32})", lines[at - 1])
    assert stopped is not None
    assert lines.index(f"::{stopped[1]}::") > at


class TestRoot:
    def test_github_names_it(self, tmp_path: Path) -> None:
        assert repository_root({"GITHUB_WORKSPACE": "/w"}, tmp_path) == Path("/w")

    def test_else_it_is_where_git_is(self, tmp_path: Path) -> None:
        (tmp_path / ".git").write_text("gitdir: elsewhere")  # as in a worktree
        (tmp_path / "a" / "b").mkdir(parents=True)
        assert repository_root({}, tmp_path / "a" / "b") == tmp_path


class TestSummary:
    def test_a_report_cannot_leave_its_fence(self) -> None:
        text = summary("run.json", "- a\n````\n<b>")
        assert text.endswith("`````text\n- a\n````\n<b>\n`````\n\n")

    def test_a_title_is_no_markup(self) -> None:
        head = summary("<img>*a*\n# b", "").split("\n")[0]
        assert head == r"### dynamo_lab: \<img\>\*a\* \# b"


class TestCommand:
    @pytest.fixture
    def saved(self, sample: Recording, tmp_path: Path) -> str:
        path = tmp_path / "run.json.gz"
        save(of_file(sample, str(tmp_path / "model.py")), path)
        return str(path)

    @pytest.fixture
    def job(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A job's summary, in a job of this workspace."""
        monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
        return tmp_path / "summary.md"

    def test_it_annotates_and_sums_up(
        self, saved: str, job: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["check", saved, saved, "--breaks", "0", "--format", "github"]) == 1
        said = capsys.readouterr().out
        commands = [line for line in said.split("\n") if line.startswith("::error")]
        assert [read(one)[0]["file"] for one in commands] == ["model.py", "model.py"]
        assert said.count("is not as expected:") == 2
        assert job.read_text().count("expected 0 breaks, found 1") == 2

    def test_it_says_that_all_is_well(
        self, saved: str, job: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["check", saved, "--breaks", "1", "--format", "github"]) == 0
        assert f"\n{saved}: as expected (breaks 1, failures 0)\n" in capsys.readouterr().out
        assert "As expected." in job.read_text()

    @pytest.mark.parametrize("name", ["n\n::error::forged.json", "::error::forged.json"])
    def test_a_files_name_gives_no_command(
        self,
        sample: Recording,
        name: str,
        job: Path,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.chdir(job.parent)
        save(sample, name)
        assert main(["check", name, "--breaks", "1", "--format", "github"]) == 0
        begin, told, end = capsys.readouterr().out.splitlines()
        assert begin == f"::stop-commands::{end.strip(':')}"
        assert told == f"{' '.join(name.split())}: as expected (breaks 1, failures 0)"
        assert main(["check", name, "--breaks", "1"]) == 0
        assert capsys.readouterr().out == f"{told}\n"

    def test_text_writes_neither(
        self, saved: str, job: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["check", saved, "--breaks", "0"]) == 1
        assert capsys.readouterr().out == ""
        assert not job.exists()

    def test_a_format_that_there_is_not(
        self, saved: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["check", saved, "--format", "junit"]) == 2
        assert "There is no format 'junit': pass text or github." in capsys.readouterr().err

    def test_a_summary_that_cannot_be_written(
        self, saved: str, job: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        job.mkdir()
        assert main(["check", saved, "--format", "github"]) == 2
        assert "cannot be written" in capsys.readouterr().err


def test_a_miss_may_have_no_facts(sample: Recording, tmp_path: Path) -> None:
    found: list[Any] = list(annotations(sample, [Miss("it was not finished")], tmp_path))
    assert found == ["::error title=dynamo_lab%3A it was not finished::it was not finished"]

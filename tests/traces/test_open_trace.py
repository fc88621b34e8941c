"""The ways in, `open_trace` and `dynamo-lab import`: what they refuse, what a command writes."""

import pytest

import dynamo_lab as lab
from dynamo_lab.__main__ import main
from dynamo_lab.errors import OptionError, TraceError
from tests.traces.committed import LOGS


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_what_is_no_log_is_refused(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(TraceError, match=r"check the path|TORCH_TRACE named"):
        lab.open_trace(tmp_path / name)


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "a.log").write_text("a diary\n", encoding="utf-8")
    with pytest.raises(TraceError, match="has no record"):
        lab.open_trace(tmp_path)


def test_unknown_ranks_and_folders_are_refused(tmp_path):
    with pytest.raises(OptionError, match="There is no rank 5: there are rank 0, rank 1"):
        lab.open_trace(LOGS / "torch-2.13-ranks", rank=5)
    with pytest.raises(OptionError, match="is not a folder"):
        lab.open_trace(LOGS / "torch-2.13", sources=tmp_path / "none")


def test_command(tmp_path, capsys):
    run, shown = tmp_path / "run.json.gz", tmp_path / "run.html"
    assert (
        main(["import", str(LOGS / "torch-2.13-ranks"), "--json", str(run), "--html", str(shown)])
        == 0
    )
    assert "Rank 1 breaks at" in capsys.readouterr().out
    assert shown.stat().st_size > 100_000
    saved = sorted(one.name for one in tmp_path.glob("*.gz"))
    assert saved == ["run.rank-0.json.gz", "run.rank-1.json.gz"]
    assert (
        main(["import", str(LOGS / "torch-2.13-ranks"), "--rank", "0", "--section", "frames"]) == 0
    )
    assert "averaged" in capsys.readouterr().out
    assert main(["import", str(tmp_path / "none")]) == 2
    assert "check the path" in capsys.readouterr().err

"""Where several ranks part, and what is missing, in the committed logs, also in changed ones."""

import gzip
import hashlib
import re

import pytest

import dynamo_lab as lab
from tests.traces.committed import LOGS, several


@pytest.mark.parametrize("name", ["torch-2.11-ranks", "torch-2.13-ranks"])
def test_ranks_say_first_where_they_part(name):
    ranks = several(LOGS / name)
    assert list(ranks) == ["rank 0", "rank 1"]
    assert re.match(
        r"Rank 1 breaks at .*, line \d+: explicit graph_break\(\), but rank 0 does not\.",
        ranks.findings[0],
    )
    assert any("never on rank 0" in finding for finding in ranks.findings)
    text = str(ranks)
    assert text.index("did not compile the same") < text.index("collectives  ")
    assert lab.open_trace(LOGS / name, rank=1).breaks


def test_ranks_that_compiled_the_same():
    ranks = several(LOGS / "torch-2.11-crashed")
    assert ranks.findings == ()
    assert "compiled the same" in str(ranks)


def test_the_page_of_ranks_holds_the_verdict(tmp_path):
    ranks = several(LOGS / "torch-2.13-ranks")
    view = ranks._view()
    assert view.ranks is not None
    assert view.labels == ("rank 0", "rank 1")
    assert view.ranks.findings == ranks.findings
    ranks.to_html(tmp_path / "ranks.html")
    assert "did not compile the same" in (tmp_path / "ranks.html").read_text(encoding="utf-8")


def copies(tmp_path, changes):
    """The logs of two ranks with texts changed, by rank; hashes are made anew."""
    for rank in (0, 1):
        (file,) = (LOGS / "torch-2.11-crashed").glob(f"*rank_{rank}_*")
        rows = gzip.decompress(file.read_bytes()).decode()
        for old, new in changes.get(rank, ()):
            assert old in rows
            rows = rows.replace(old, new)
        rows = re.sub(r'"has_payload": "\w+"', "HASH", rows)
        (tmp_path / file.name.removesuffix(".gz")).write_text(rehashed(rows), encoding="utf-8")
    return tmp_path


def rehashed(text):
    made = []
    for record in re.split(r"\n(?!\t)", text):
        _, _, payload = record.partition("\n\t")
        digest = hashlib.md5(payload.replace("\n\t", "\n").encode(), usedforsecurity=False)
        made.append(record.replace("HASH", f'"has_payload": "{digest.hexdigest()}"'))
    return "\n".join(made)


def test_collectives_in_another_order_are_told(tmp_path):
    schedule = "torch.ops._c10d_functional.all_reduce_.default"
    other = "torch.ops._c10d_functional.broadcast_.default"
    ranks = several(copies(tmp_path, {1: [(f'"{schedule}"', f'"{other}"')]}))
    assert "`broadcast` in `averaged`" in ranks.findings[0]
    assert "`all_reduce` in `averaged`" in ranks.findings[0]
    assert "wait forever" in ranks.findings[0]


def test_of_many_ranks_the_page_holds_those_that_part(tmp_path):
    folder = copies(tmp_path, {1: [("tl_math.sin(", "tl_math.cos(")]})
    (usual,) = folder.glob("*rank_0_*")
    (other,) = folder.glob("*rank_1_*")
    texts = {0: usual.read_text(encoding="utf-8"), 1: other.read_text(encoding="utf-8")}
    usual.unlink()
    other.unlink()
    for rank in range(9):
        is_other = int(rank == 7)
        text = texts[is_other].replace(f'"rank": {is_other}', f'"rank": {rank}')
        (folder / f"torch_trace_rank_{rank}_x.log").write_text(text, encoding="utf-8")
    ranks = several(folder)
    assert len(ranks) == 9
    (finding,) = ranks.findings
    assert "has different kernels on rank 7 and on the 8 others" in finding
    view = ranks._view()
    assert view.ranks is not None
    assert view.labels[:2] == ("rank 0", "rank 7")
    assert len(view.views) == 6
    assert view.ranks.remarks == (
        "This page holds 6 of them: `--rank N`, or ranks['rank N'], shows another.",
    )


def test_kernels_that_differ_are_told(tmp_path):
    ranks = several(copies(tmp_path, {1: [("tl_math.sin(", "tl_math.cos(")]}))
    assert any("has different kernels on rank 1" in finding for finding in ranks.findings)


def test_a_rank_that_was_killed_is_told(tmp_path):
    folder = copies(tmp_path, {})
    (file,) = folder.glob("*rank_1_*")
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: text.index('"inductor_output_code"')], encoding="utf-8")
    ranks = several(folder)
    assert ranks.findings[0].startswith("Rank 1 did not finish; rank 0 did.")
    assert "backend_compile" in ranks.findings[0]


def test_missing_ranks_restarts_and_strangers_are_told(tmp_path):
    folder = copies(tmp_path, {})
    (first,) = folder.glob("*rank_0_*")
    (second,) = folder.glob("*rank_1_*")
    text = second.read_text(encoding="utf-8").replace('"rank": 1', '"rank": 3')
    second.unlink()
    (folder / "dedicated_log_torch_trace_rank_3_x.log").write_text(text, encoding="utf-8")
    again = (
        first.read_text(encoding="utf-8")
        .replace(" 992 ", " 4711 ")
        .replace("V1121 17:", "V1121 18:")
    )
    again = again.replace('"rank": 0', '"rank": 7', 1)
    (folder / "dedicated_log_torch_trace_rank_0_y.log").write_text(again, encoding="utf-8")
    ranks = several(folder)
    assert list(ranks) == ["rank 0, process 992", "rank 0", "rank 3"]
    text = str(ranks)
    assert "There is no log of rank 1, 2." in text
    assert "Rank 0 started 2 times; its last process is compared." in text
    assert "also has records of rank 7" in text


def test_a_job_that_hung_is_told_by_its_collectives():
    """Two GPUs: rank 0 waited in NCCL for a collective that rank 1 never entered."""
    found = several(LOGS / "torch-2.11-nccl-hang").findings
    assert found[0].startswith(
        "Collectives differ: number 3 is missing on rank 1, but `all_reduce`"
    )
    assert "wait forever" in found[0]


def test_the_same_kernels_on_two_gpus_are_the_same():
    found = several(LOGS / "torch-2.11-nccl-ranks").findings
    assert "breaks at ranks.py, line 23" in found[0]
    assert not any("different kernels" in one for one in found)

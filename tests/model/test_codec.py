"""Recordings survive the way to a file and back; any other file is refused in one sentence."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from dynamo_lab.errors import RecordingFileError
from dynamo_lab.model.core import codec
from dynamo_lab.model.decompositions import Call, Decompositions, Row, Rule, Step, Traced, Way
from dynamo_lab.model.recording import Failure, Recording
from dynamo_lab.model.timings import Timing
from dynamo_lab.model.validate import validate

if TYPE_CHECKING:
    from collections.abc import Iterator


CALL = Call(operator="aten.add.Tensor", arguments="")


def wrapped(recording: object, **envelope: object) -> bytes:
    """The file that holds `recording`, with parts of its envelope replaced."""
    return json.dumps(
        {"format": codec.FORMAT, "schema": codec.SCHEMA, "recording": recording} | envelope
    ).encode()


class TestRoundTrip:
    @pytest.mark.parametrize("name", ["run.json", "run.json.gz"])
    def test_a_saved_recording_loads_equal(
        self, sample: Recording, tmp_path: Path, name: str
    ) -> None:
        codec.save(sample, tmp_path / name)
        assert codec.load(tmp_path / name) == sample
        assert [file.name for file in tmp_path.iterdir()] == [name]

    def test_an_empty_recording(self) -> None:
        assert codec.decode(codec.encode(Recording(title=""))) == Recording(title="")

    def test_the_first_schema_stays_readable(self) -> None:
        frozen = b'{"format":"dynamo_lab.recording","schema":1,"recording":{"title":"old"}}'
        assert codec.decode(frozen).title == "old"

    def test_fields_of_later_versions_are_passed_over(self) -> None:
        assert codec.decode(wrapped({"title": "a", "invented": [1]}, signed="x")).title == "a"

    def test_gzip_is_known_by_its_bytes(self, sample: Recording, tmp_path: Path) -> None:
        (tmp_path / "run.json").write_bytes(gzip.compress(codec.encode(sample)))
        assert codec.load(tmp_path / "run.json") == sample

    def test_a_compressed_file_is_the_same_each_time(
        self, sample: Recording, tmp_path: Path
    ) -> None:
        for name in ("a.json.gz", "b.json.gz"):
            codec.save(sample, tmp_path / name)
        assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()

    def test_a_subclass_comes_back(self, sample: Recording, tmp_path: Path) -> None:
        class Richer(Recording, frozen=True, kw_only=True):
            pass

        codec.save(sample, tmp_path / "run.json")
        loaded = codec.load(tmp_path / "run.json", Richer)
        assert isinstance(loaded, Richer)
        assert loaded.breaks == sample.breaks

    @pytest.mark.parametrize(
        "text", ["</script>", "\u2028", "\x1b[31m", "\u202eabc", "\x00", "\U0001d6fc"]
    )
    def test_any_text_survives(self, text: str) -> None:
        assert codec.decode(codec.encode(Recording(title=text))).title == text

    def test_half_a_surrogate_pair_becomes_a_question_mark(self) -> None:
        assert codec.decode(codec.encode(Recording(title="a\udc80b"))).title == "a?b"


class TestSave:
    def test_a_failed_save_leaves_the_old_file(
        self, sample: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "run.json"
        path.write_text("precious")

        def full(self: Path, target: object) -> Path:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "replace", full)
        with pytest.raises(RecordingFileError, match="No space left"):
            codec.save(sample, path)
        assert path.read_text() == "precious"
        assert [file.name for file in tmp_path.iterdir()] == ["run.json"]

    def test_a_missing_folder(self, sample: Recording, tmp_path: Path) -> None:
        with pytest.raises(RecordingFileError, match="name a file in a folder that exists"):
            codec.save(sample, tmp_path / "no" / "run.json")

    def test_a_link_stays_a_link(self, sample: Recording, tmp_path: Path) -> None:
        (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
        codec.save(sample, tmp_path / "link.json")
        assert (tmp_path / "link.json").is_symlink()
        assert codec.load(tmp_path / "real.json") == sample

    def test_a_device_is_written_not_replaced(self, sample: Recording) -> None:
        codec.save(sample, os.devnull)
        assert not Path(os.devnull).is_file()


NOT_RECORDINGS = {
    "empty": b"",
    "text": b"hello",
    "half": b'{"format":"dynamo_lab.recording","schema":1,"recording":{"title":"a',
    "list": b"[1, 2]",
    "other JSON": b'{"cells": [], "nbformat": 4}',
    "another format": wrapped({"title": "a"}, format="other"),
    "schema nought": wrapped({"title": "a"}, schema=0),
    "newer schema": wrapped({"title": "a"}, schema=codec.SCHEMA + 1),
    "a schema in words": wrapped({"title": "a"}, schema="1"),
    "no title": wrapped({}),
    "wrong type": wrapped({"title": 1}),
    "text for a table": wrapped({"title": "a", "frames": "many"}),
    "unknown outcome": wrapped({"title": "a", "state": "\x1b[31m\n"}),
    "not a number": wrapped({"title": "a", "seconds": float("nan")}),
    "infinite": wrapped({"title": "a", "seconds": float("inf")}),
    "too large": wrapped({"title": "a"}).replace(b'"a"', b'"a","seconds":1e999'),
    "long integer": wrapped({"title": "a"}).replace(b'"a"', b'"a","stacks":[[%s]]' % (b"9" * 9999)),
    "deep": wrapped({"title": "a"}).replace(b'"a"', b'"a","x":' + b"[" * 100_000 + b"]" * 100_000),
    "deeper": b"[" * 1_000_000,
    "not UTF-8": wrapped({"title": "a"}).replace(b'"a"', b'"\xff"'),
    "UTF-16": wrapped({"title": "a"}).decode().encode("utf-16"),
    "half a gzip": gzip.compress(wrapped({"title": "a" * 1000}))[:-12],
    "broken gzip": b"\x1f\x8b\x08\x00" + b"\x00" * 20,
    "gzip and more": gzip.compress(wrapped({"title": "a"})) + b"more",
    "pickle": b"cos\nsystem\n(S'touch hacked'\ntR.",
}


class TestRefusal:
    @pytest.mark.parametrize("data", NOT_RECORDINGS.values(), ids=NOT_RECORDINGS)
    def test_one_sentence_says_what_to_do(self, tmp_path: Path, data: bytes) -> None:
        path = tmp_path / "file.json"
        path.write_bytes(data)
        with pytest.raises(RecordingFileError) as caught:
            codec.load(path)
        message = str(caught.value)
        assert message.startswith(repr(str(path)))
        assert message.isprintable()
        assert message.endswith((" wrote.", " to read it."))
        assert len(message) < 500

    def test_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(RecordingFileError, match=r"There is no file .* check the path\."):
            codec.load(tmp_path / "nothing.json")

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(RecordingFileError, match="is a folder: pass the recording in it"):
            codec.load(tmp_path)

    @pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
    def test_an_impossible_name(self, name: str) -> None:
        with pytest.raises(RecordingFileError, match="cannot be read"):
            codec.load(name)

    @pytest.mark.parametrize("zipped", [True, False])
    def test_a_bomb_is_not_unpacked(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zipped: bool
    ) -> None:
        monkeypatch.setattr(codec, "MAX_BYTES", 2**20)
        data = b" " * (64 * 2**20)
        (tmp_path / "bomb").write_bytes(gzip.compress(data) if zipped else data)
        with pytest.raises(RecordingFileError, match="larger than 1 MB"):
            codec.load(tmp_path / "bomb")


SCALARS = {
    "spans": (0,),
    "frames": ("id", "span", "resumes", "caller"),
    "breaks": ("id", "frame", "span", "stack", "graph_before"),
    "guards": ("frame", "stack"),
    "recompiles": ("frame",),
    "symbols": ("frame", "stack"),
    "shape_facts": ("frame", "stack"),
    "graphs": ("id", "frame", "parent", "parent_node"),
    "lowerings": ("graph",),
    "buffers": ("id", "graph", "during"),
    "kernels": ("id", "graph", "wrapper"),
    "wrappers": ("id", "graph"),
    "links": ("upstream", "downstream"),
    "timings": (3,),
}


COLUMNS = ("op", "target", "value", "module", "stack")


def indices(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Each (container, key) in the JSON of a recording whose value is an index of something."""
    for table, keys in SCALARS.items():
        yield from ((row, key) for row in tree[table] for key in keys)
    nodes = [graph["nodes"] for graph in tree["graphs"]]
    lists: list[Any] = [
        *tree["stacks"],
        *(row["resume_frames"] for row in tree["breaks"]),
        *(row["nodes"] for row in tree["kernels"]),
        *(row["nodes"] for row in tree["buffers"]),
        *(row["buffers"] for lowering in tree["lowerings"] for row in lowering["nodes"]),
        *(pair for row in tree["links"] for pair in row["pairs"]),
        *(
            table[column]
            for table in nodes
            for column in ("op", "target", "value", "module", "stack")
        ),
        *(inputs for table in nodes for inputs in table["inputs"]),
        *(calls for table in nodes for calls in table["subgraphs"].values()),
    ]
    yield from ((row, position) for row in lists for position in range(len(row)))
    rows = [row for lowering in tree["lowerings"] for row in lowering["nodes"]]
    yield from ((row, key) for row in rows for key in ("node", "rule"))
    yield from ((line, 2) for row in tree["buffers"] for line in row["body"])
    yield from ((failed, "stack") for row in tree["recompiles"] for failed in row["failed"])
    yield from ((attempt, "graph") for row in tree["frames"] for attempt in row["attempts"])


def test_each_index_out_of_range_is_refused(sample: Recording) -> None:
    """Set every number that is an index, wherever it is, to one that is outside each table."""
    tree = json.loads(codec.encode(sample))["recording"]
    tried = 0
    for holder, key in list(indices(tree)):
        for stray in (99, -2, 2**70):
            kept, holder[key] = holder[key], stray
            with pytest.raises(RecordingFileError, match="damaged"):
                codec.decode(wrapped(tree))
            holder[key] = kept
            tried += 1
    assert tried > 150
    assert codec.decode(wrapped(tree)) == sample


def changed(sample: Recording, table: str, position: int, **changes: object) -> Recording:
    """`sample` with fields of one row replaced."""
    rows = list(getattr(sample, table))
    rows[position] = msgspec.structs.replace(rows[position], **changes)
    return msgspec.structs.replace(sample, **{table: tuple(rows)})


class TestValidate:
    def test_the_sample_is_sound(self, sample: Recording) -> None:
        assert validate(sample) is None

    def test_the_place_is_named(self, sample: Recording) -> None:
        problem = validate(changed(sample, "breaks", 0, span=99))
        assert problem == "breaks[0].span is 99, but there are 3 spans"

    @pytest.mark.parametrize(
        ("table", "changes", "circle"),
        [
            ("frames", {"resumes": 0}, "frames resume"),
            ("frames", {"caller": 0}, "frames call"),
            ("graphs", {"parent": 0}, "graphs lie in"),
            ("timings", {"parent": 0}, "timings lie in"),
        ],
    )
    def test_circles(
        self, sample: Recording, table: str, changes: dict[str, int], circle: str
    ) -> None:
        problem = validate(changed(sample, table, 0, **changes))
        assert problem == f"{circle} each other in a circle"

    @pytest.mark.parametrize("wild", [1e308, -1e308, float("inf"), float("nan")])
    @pytest.mark.parametrize("field", ["start", "seconds"])
    def test_times_that_are_none(self, sample: Recording, field: str, wild: float) -> None:
        problem = validate(changed(sample, "timings", 0, **{field: wild}))
        assert problem == f"timings[0].{field} is {wild}, which is not a time"

    def test_graphs_that_call_each_other(self, sample: Recording) -> None:
        nodes = msgspec.structs.replace(sample.graphs[0].nodes, subgraphs={1: (0,)})
        problem = validate(changed(sample, "graphs", 0, nodes=nodes))
        assert problem == "graphs call each other in a circle"

    @pytest.mark.parametrize("subgraphs", [{9: ()}, {-1: ()}, {1: (5,)}])
    def test_subgraphs(self, sample: Recording, subgraphs: dict[int, tuple[int, ...]]) -> None:
        nodes = msgspec.structs.replace(sample.graphs[0].nodes, subgraphs=subgraphs)
        problem = validate(changed(sample, "graphs", 0, nodes=nodes))
        assert problem is not None
        assert "graphs[0].nodes.subgraphs" in problem

    def test_columns_of_different_lengths(self, sample: Recording) -> None:
        nodes = msgspec.structs.replace(sample.graphs[0].nodes, op=(0,))
        problem = validate(changed(sample, "graphs", 0, nodes=nodes))
        assert problem == "graphs[0].nodes.op has 1 rows for 4 nodes"

    def test_the_failure_has_a_place(self, sample: Recording) -> None:
        failure = Failure(type="ValueError", message="", traceback="", span=7)
        problem = validate(msgspec.structs.replace(sample, failure=failure))
        assert problem == "failure.span is 7, but there are 3 spans"

    def test_calls_that_become_each_other(self, sample: Recording) -> None:
        way = (Way(step=0), Way(end="set"), Way(end="set"))
        facts = Decompositions(
            calls=(Call(operator="aten.add.Tensor", arguments="", ways=way),),
            steps=(Step(call=0, rule=0, rows=(Row(call=0, name="a", arguments=""),)),),
            rules=(Rule(kind="registered", name="add"),),
        )
        problem = validate(msgspec.structs.replace(sample, decompositions=facts))
        assert problem == "calls become (to core_aten) each other in a circle"

    @pytest.mark.parametrize(
        ("facts", "place"),
        [
            (Decompositions(traced=(Traced(call=0),)), "traced[0].call"),
            (Decompositions(calls=(CALL,), traced=(Traced(call=0, rule=0),)), "traced[0].rule"),
            (Decompositions(calls=(CALL,), traced=(Traced(call=0, graph=9),)), "traced[0].graph"),
            (
                Decompositions(calls=(CALL,), traced=(Traced(call=0, graph=0, nodes=(9,)),)),
                "traced[0].nodes",
            ),
            (
                Decompositions(calls=(CALL,), traced=(Traced(call=0, nodes=(0,)),)),
                "traced[0].nodes",
            ),
            (Decompositions(steps=(Step(call=0, rule=0),)), "steps[0].call"),
            (
                Decompositions(
                    calls=(msgspec.structs.replace(CALL, ways=(Way(step=0), Way(), Way())),)
                ),
                "calls[0].ways",
            ),
            (
                Decompositions(calls=(msgspec.structs.replace(CALL, ways=(Way(),)),)),
                "calls[0] has 1 ways",
            ),
        ],
    )
    def test_decompositions_name_what_there_is(
        self, sample: Recording, facts: Decompositions, place: str
    ) -> None:
        problem = validate(msgspec.structs.replace(sample, decompositions=facts))
        assert problem is not None
        assert problem.startswith("decompositions.")
        assert place in problem

    def test_a_lowering_makes_buffers_of_its_own_graph(self, sample: Recording) -> None:
        problem = validate(changed(sample, "lowerings", 0, graph=0))
        assert problem == "lowerings[0] has the buffer 0, which is of graph 1"

    def test_a_long_chain_is_no_circle(self) -> None:
        timings = tuple(Timing("phase", 0.0, 0.0, parent=at - 1) for at in range(50_000))
        assert validate(Recording(title="", timings=timings)) is None


class TestFuzz:
    """Damage of any kind gives a recording or the one error, and never anything else."""

    @pytest.mark.parametrize("seed", range(8))
    def test_flipped_bytes(self, sample: Recording, seed: int) -> None:
        rng = random.Random(seed)
        whole = codec.encode(sample)
        for _ in range(250):
            data = bytearray(whole)
            for _ in range(rng.choice((1, 1, 2, 5, 30))):
                data[rng.randrange(len(data))] = rng.randrange(256)
            _decode_or_refuse(bytes(data))

    @pytest.mark.parametrize("seed", range(4))
    def test_moved_cut_and_repeated_pieces(self, sample: Recording, seed: int) -> None:
        rng = random.Random(seed)
        whole = codec.encode(sample)
        for _ in range(250):
            a, b = sorted(rng.randrange(len(whole)) for _ in range(2))
            piece = whole[a : min(b, a + 200)]
            at = rng.randrange(len(whole))
            _decode_or_refuse(rng.choice((whole[:a], whole[:a] + whole[b:])))
            _decode_or_refuse(whole[:at] + piece + whole[at:])

    @pytest.mark.parametrize("seed", range(4))
    def test_numbers_replaced(self, sample: Recording, seed: int) -> None:
        """Digits for digits keeps the JSON sound, so that the cross-references are reached."""
        rng = random.Random(seed)
        whole = codec.encode(sample)
        digits = [at for at, byte in enumerate(whole) if chr(byte).isdigit()]
        for _ in range(400):
            data = bytearray(whole)
            for at in rng.sample(digits, rng.choice((1, 1, 2, 8))):
                data[at] = rng.choice(b"0123456789")
            _decode_or_refuse(bytes(data))

    def test_compressed_bytes(self, sample: Recording, tmp_path: Path) -> None:
        rng = random.Random(0)
        whole = gzip.compress(codec.encode(sample), mtime=0)
        for _ in range(200):
            data = bytearray(whole)
            data[rng.randrange(len(data))] = rng.randrange(256)
            (tmp_path / "run").write_bytes(data)
            with contextlib.suppress(RecordingFileError):
                codec.load(tmp_path / "run")


def _decode_or_refuse(data: bytes) -> None:
    try:
        recording = codec.decode(data)
    except RecordingFileError:
        return
    for graph in recording.graphs:  # what was let in can be read
        assert len(list(graph.nodes)) == len(graph.nodes)
    assert msgspec.json.encode(recording)

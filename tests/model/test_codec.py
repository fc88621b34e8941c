"""Recordings survive the way to a file and back; any other file is refused in one sentence."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from dynamo_lab.errors import RecordingFileError
from dynamo_lab.model.core import codec
from dynamo_lab.model.recording import Recording
from tests.model.files import wrapped


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

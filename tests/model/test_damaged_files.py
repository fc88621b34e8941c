"""Files of recordings, damaged at random."""

from __future__ import annotations

import contextlib
import gzip
import random
from typing import TYPE_CHECKING

import msgspec
import pytest

from dynamo_lab.errors import RecordingFileError
from dynamo_lab.model.core import codec

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.model.recording import Recording


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

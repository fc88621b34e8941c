"""How much the caches of a machine hold, as its system files say."""

from pathlib import Path

import pytest

from dynamo_lab.measure import caches


def _cache(cpus: Path, cpu: int, index: int, level: int, kind: str, size: str, shared: str) -> None:
    at = cpus / f"cpu{cpu}" / "cache" / f"index{index}"
    at.mkdir(parents=True)
    facts = {"level": str(level), "type": kind, "size": size, "shared_cpu_list": shared}
    for name, text in facts.items():
        (at / name).write_text(f"{text}\n")


def test_a_shared_cache_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for cpu in range(2):
        _cache(tmp_path, cpu, 0, 1, "Data", "32K", str(cpu))
        _cache(tmp_path, cpu, 1, 1, "Instruction", "32K", str(cpu))
        _cache(tmp_path, cpu, 2, 3, "Unified", "8M", "0-1")
    monkeypatch.setattr(caches, "CPUS", tmp_path)
    assert caches.cached_bytes("cpu") == 64 * 1024 + 8 * 1024**2


def test_what_the_system_does_not_say_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caches, "CPUS", tmp_path)
    assert caches.cached_bytes("cpu") == 0
    assert caches.cached_bytes("mps") == 0
    _cache(tmp_path, 0, 0, 1, "Data", "much", "0")
    assert caches.cached_bytes("cpu") == 0

"""How much the caches of a device hold: data beyond that has to come from its memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dynamo_lab.model.core.host import text_of

CPUS = Path("/sys/devices/system/cpu")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20}


def cached_bytes(device: str) -> int:
    """The bytes that all caches of a device ("cpu", "cuda") hold; 0 where that is not known."""
    if device == "cuda":
        import torch

        untyped: Any = torch.cuda
        return int(getattr(untyped.get_device_properties(), "L2_cache_size", 0))
    return _of_cpus(CPUS) if device == "cpu" else 0


def _of_cpus(cpus: Path) -> int:
    """The sum over all cores; a cache that several of them share counts once."""
    sizes = {
        (level, kind, cores): _size(text_of(at / "size").strip())
        for at in cpus.glob("cpu[0-9]*/cache/index[0-9]*")
        for level, kind, cores in [_facts(at)]
        if kind != "Instruction"
    }
    return sum(sizes.values())


def _facts(at: Path) -> tuple[str, ...]:
    return tuple(text_of(at / name).strip() for name in ("level", "type", "shared_cpu_list"))


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d+)([KM]?)", text)
    return int(found[1]) * _UNITS[found[2]] if found else 0

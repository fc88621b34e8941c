"""The limits of a device: the bandwidth of its memory, and arithmetic in each type.

Both are measured, because a program is compared with what another program reached here, and
not against a data sheet. They are kept in a file of the user's, since measuring takes some seconds.
"""

from __future__ import annotations

import contextlib
import datetime
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dynamo_lab.measure.devices import device_named
from dynamo_lab.measure.folders import cache_folder
from dynamo_lab.measure.free_memory import free_memory
from dynamo_lab.measure.rounds import Watch
from dynamo_lab.model.benchmarks import Limits, Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamo_lab.measure.devices import Device

_ROUNDS = 7
_COPIED = (256 << 20, 1 << 30)
"""Bytes that are copied: more than the last level of caches holds."""

_DTYPES = ("float32", "float64", "bfloat16", "float16")
_SIDES = (256, 512, 1024, 2048, 4096, 8192)
"""Rows of the square matrices that are multiplied, as long as a product takes less than this."""

_LONGEST = 0.25
_SHARE = 4
"""One part in so many of the memory that is free is taken at most."""


def limits_of(device: Device | str, *, again: bool = False, watch: Watch | None = None) -> Limits:
    """The limits of a device, from the file if they are known; `again` measures them again.

    Bandwidth is in bytes a second, of a copy: what is read and what is written both count.
    Arithmetic is in floating-point operations a second of a matrix product, for each type that
    the device has, with PyTorch's settings (TF32, threads) as they are now. What is measured while
    more processes want to run than there are cores is not kept.

    Raises:
        KeyboardInterrupt: it was stopped before the end; nothing is kept then.
    """
    from dynamo_lab.measure.machine import describe_machine

    found = device_named(device) if isinstance(device, str) else device
    with found.current():
        machine = describe_machine(found.name)
    store = Store(cache_folder() / "limits.json")
    known = None if again else store.read(_key(machine))
    if known:
        return known
    made = measure(found, machine, watch or Watch())
    return made if machine.is_busy else store.keep(_key(machine), made)  # busy, it does less


def measure(device: Device, machine: Machine, watch: Watch) -> Limits:
    """Measure bandwidth and arithmetic now; 0 and nothing where there is too little memory."""
    steps = [*((size, "") for size in _COPIED), *((0, dtype) for dtype in _DTYPES)]
    bandwidth = 0.0
    flops: dict[str, float] = {}
    for at, (size, dtype) in enumerate(steps):
        if watch.stopped:
            raise KeyboardInterrupt
        watch.tell("the machine's limits", at, len(steps))
        if size:
            bandwidth = max(bandwidth, _copying(device, size))
        elif best := _multiplying(device, dtype):
            flops[dtype] = best
    return Limits(
        device=_name(machine),
        bandwidth=bandwidth,
        flops=flops,
        measured=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )


def _copying(device: Device, size: int) -> float:
    """Bytes a second of a copy of `size` bytes; 0 where there is too little memory."""
    import torch

    if 2 * size > _room(device):
        return 0.0
    try:
        source = torch.ones(size // 4, dtype=torch.float32, device=device.place)
        target = torch.empty_like(source)
    except RuntimeError:  # out of memory
        return 0.0
    return 2 * size / _best(device, lambda: target.copy_(source))


def _multiplying(device: Device, dtype: str) -> float:
    """The best operations a second over sizes; 0 where the device has no such type."""
    try:
        return max(_products(device, dtype), default=0.0)
    except (RuntimeError, TypeError):  # not on this device, or out of memory
        return 0.0


def _products(device: Device, dtype: str) -> Iterator[float]:
    import torch

    made = getattr(torch, dtype)
    room = _room(device)
    for side in _SIDES:
        if 4 * side**2 * max(made.itemsize, 4) > room:
            return
        # not of ones, with which a GPU saves power and clocks higher than it ever would
        left = torch.randn(side, side, device=device.place).to(made)
        right, out = left.clone(), torch.empty_like(left)

        def product(out: Any = out, left: Any = left, right: Any = right) -> None:
            torch.mm(left, right, out=out)

        taken = _best(device, product)
        yield 2 * side**3 / taken
        if 8 * taken > _LONGEST:  # the next has eight times the work
            return


def _room(device: Device) -> float:
    """The bytes that may be taken, where the device uses the machine's memory."""
    free = free_memory() if device.name in ("cpu", "mps") else None
    return math.inf if free is None else free / _SHARE


def _best(device: Device, work: Callable[[], object]) -> float:
    """The best of some rounds, each long enough for the clock's resolution.

    Not their median: whatever else runs on the machine only makes them longer.
    """
    device.seconds(work)
    loops = max(1, math.ceil(2e-3 / max(device.seconds(work), 1e-7)))
    return max(1e-9, min(device.seconds(work, loops) / loops for _ in range(_ROUNDS)))


def _name(machine: Machine) -> str:
    if machine.device != "cpu":
        return machine.device
    threads = "1 thread" if machine.threads == 1 else f"{machine.threads} threads"
    return f"{machine.processor or 'CPU'}, {threads}"


def _key(machine: Machine) -> str:
    """What limits depend on."""
    settings = [f"{name}={value}" for name, value in sorted(machine.settings.items())]
    parts = (machine.device, machine.processor, str(machine.threads), machine.driver, machine.torch)
    return " | ".join((*parts, *settings))


class Store:
    """Limits in a file, by what they depend on. A damaged or inaccessible file does no harm."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, key: str) -> Limits | None:
        """What was kept; None if nothing was, or nothing that makes sense."""
        found = self._all().get(key)
        try:
            made = msgspec.convert(found, Limits)
        except msgspec.ValidationError:
            return None
        rates = (made.bandwidth, *made.flops.values())
        return made if all(math.isfinite(rate) and rate > 0 for rate in rates) else None

    def keep(self, key: str, limits: Limits) -> Limits:
        """Write them beside the others, as a whole or not at all."""
        everything = self._all() | {key: msgspec.to_builtins(limits)}
        with contextlib.suppress(OSError):  # they are measured again next time
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._write(msgspec.json.format(msgspec.json.encode(everything)))
        return limits

    def _write(self, content: bytes) -> None:
        import tempfile

        with tempfile.NamedTemporaryFile(dir=self._path.parent, delete=False) as file:
            file.write(content)
        try:
            Path(file.name).replace(self._path)
        except OSError:
            Path(file.name).unlink()
            raise

    def _all(self) -> dict[str, Any]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, Any])
        except (OSError, msgspec.DecodeError, RecursionError):
            return {}

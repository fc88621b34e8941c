"""What times depend on besides the variants: the machine, and what calls leave to each other."""

from collections.abc import Iterator

from dynamo_lab.model.benchmarks import Benchmark, Machine
from dynamo_lab.view.core.words import listed, plural, size

_DRIFT = 0.05
"""A clock that changed by more than this while measuring is reported."""


def between_calls(found: Benchmark) -> str:
    """What differs between the calls that were timed; empty where that is not known."""
    if found.changes is None:
        return ""
    start = "Each round starts from the program's own values and the same seed, restored untimed"
    if not found.changes:
        return f"{start}; no call changes what the next one starts with, except what is in caches."
    changed = listed(found.changes, limit=6)
    return f"{start}. Within a round, a call sees what those before it changed: {changed}."


def other_options(found: Benchmark) -> Iterator[str]:
    """The variants that were compiled otherwise than what was recorded."""
    for way in found.ways:
        if way.kind == "compiled":
            lacking = [
                f"`{name}={value}`"
                for name, value in found.recorded_with.items()
                if way.options.get(name) != value
            ]
            if lacking:
                yield (
                    f"The recording was made with {listed(lacking, last='and')}, and {way.name} "
                    "was compiled without: `ways` of `rec.bench` takes options of `torch.compile`."
                )


def machine_doubts(machine: Machine) -> Iterator[str]:
    """What of the machine makes all times less certain."""
    clocks = [clock for clock in machine.clocks_mhz if clock > 0]
    if clocks and max(clocks) > (1 + _DRIFT) * min(clocks):
        span = listed([f"{clock:,.0f}" for clock in clocks], last="then")
        yield f"The clock frequency changed while measuring: {span} MHz."
    if machine.is_busy:
        wanted = f"{machine.load:.1f} processes wanted to run on {plural(machine.cores, 'core')}"
        yield (
            f"The machine was busy in the minute before: {wanted}, so times may be far off. "
            "Measure again when it is idle."
        )


_MACHINE = (
    ("device", "device"),
    ("processor", "processor"),
    ("cores", "cores"),
    ("threads", "threads"),
    ("governor", "governor"),
    ("driver", "driver"),
    ("torch", "PyTorch"),
    ("triton", "Triton"),
    ("python", "Python"),
    ("platform", "platform"),
)


def machine_rows(machine: Machine) -> Iterator[tuple[str, str]]:
    """What is known of the environment it ran in, as label and value."""
    for field, label in _MACHINE:
        if value := getattr(machine, field):
            yield label, str(value)
    if machine.caches:
        yield "caches", size(machine.caches)
    if machine.clocks_mhz:
        yield "clock", f"{', '.join(f'{clock:,.0f}' for clock in machine.clocks_mhz)} MHz"
    if machine.load is not None:
        yield "load before", f"{machine.load:.1f}"
    yield from machine.settings.items()

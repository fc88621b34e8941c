"""The machine that a log was written on, as far as its records say."""

import re
from typing import Any, cast

from msgspec.structs import replace

from dynamo_lab.capture.traces.log import Record, parsed
from dynamo_lab.model.core.environment import Environment

_VERSION = re.compile(r"^# torch version: (\S{1,100})$", re.MULTILINE)
_HARDWARE = re.compile(
    r"^# GPU Hardware Info: *\n((?:# [^\n]{1,100} : \d{1,4} *\n)+)", re.MULTILINE
)


class Machine:
    """Its PyTorch and its accelerators."""

    def __init__(self) -> None:
        self._environment = Environment()

    def version(self, record: Record) -> bool:
        """A record of PyTorch's version."""
        try:
            told: Any = parsed(record.payload)
        except ValueError:
            return False
        known = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
        version = known.get("pytorch_version")
        if isinstance(version, str):
            self._environment = replace(self._environment, torch=version[:100])
        return isinstance(version, str)

    def runnable(self, record: Record) -> bool:
        """A program to try a graph out with, whose comments tell the machine; it stays a text."""
        version, hardware = _VERSION.search(record.payload), _HARDWARE.search(record.payload)
        if version and not self._environment.torch:
            self._environment = replace(self._environment, torch=version[1])
        if hardware and not self._environment.accelerators:
            names = tuple(line.strip("# ") for line in hardware[1].strip().split("\n"))
            self._environment = replace(self._environment, accelerators=names)
        return False

    def environment(self, began: str, options: dict[str, str]) -> Environment:
        """What is known of it; `began` is when the first record was written."""
        return replace(self._environment, created=_date(began), options=options)


def _date(at: str) -> str:
    """'11-21 17:24:02' of "1121 17:24:02.655000": a log does not name the year."""
    return f"{at[:2]}-{at[2:4]} {at[5:13]}" if at else ""

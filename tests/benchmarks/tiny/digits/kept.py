"""Results in a folder, a file each, so that nothing is computed twice by the same code."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

import dynamo_lab as lab

if TYPE_CHECKING:
    from collections.abc import Callable


def code() -> str:
    """Of what computes: the planner, this benchmark, and PyTorch."""
    sources = [*Path(lab.__file__).parent.glob("tiny/**/*.py"), *Path(__file__).parent.glob("*.py")]
    found = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(sources)))
    return f"{found.hexdigest()[:12]}, torch {torch.__version__}"


class Kept:
    """A folder of results.

    Args:
        folder: Where they are.
        of_any_code: Whether results of other code are taken as they are, and a missing one is an
            error; else both are computed.
    """

    def __init__(self, folder: Path, *, of_any_code: bool = False) -> None:
        self.folder, self._of_any_code, self._code = folder, of_any_code, code()
        folder.mkdir(parents=True, exist_ok=True)

    def of(self, key: str, compute: Callable[[], Any], *, is_data: bool = False) -> Any:
        """What is kept under a key, computed if nothing is; data are the same of any code."""
        path = self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        takes_any = is_data or self._of_any_code
        if found and (takes_any or found["code"] == self._code):
            return found["value"]
        if self._of_any_code:
            raise SystemExit(f"{self.folder} has no result for {key!r}: run without --table.")
        code = "data" if is_data else self._code
        made = json.dumps({"code": code, "key": key, "value": compute()})
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(made)
        fresh.replace(path)
        return json.loads(made)["value"]

    def codes(self) -> list[str]:
        """The code of the results in the folder, each once."""
        found = {json.loads(path.read_text())["code"] for path in self.folder.glob("*.json")}
        return sorted(found - {"data"})

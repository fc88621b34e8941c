"""Where what can be made again is kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """The user's folder for it, which may not exist yet: where the system keeps such things."""
    home = Path.home()
    if sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        folder = home / "Library" / "Caches"
    else:
        folder = home / ".cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or folder) / "dynamo_lab"

"""What a process writes to its streams, of itself and through the libraries in it."""

import os
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def quiet_stderr() -> Generator[None]:
    """Without what a C++ library prints on stderr meanwhile, as PyTorch's profiler does."""
    try:
        kept = os.dup(2)
    except OSError:  # there is no stderr
        yield
        return
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)

"""The pytest fixture `compile_check`; pytest loads this module wherever dynamo_lab is installed.

So it imports nothing of ours: the recorder is imported when a test uses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from dynamo_lab.testing.fixture import CompileCheck


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--compile-check-dir`."""
    parser.getgroup("dynamo_lab").addoption(
        "--compile-check-dir",
        metavar="DIR",
        help="save the recording of each failed compile_check as a file in this folder",
    )


@pytest.fixture
def compile_check(request: pytest.FixtureRequest) -> CompileCheck:
    """Compile a function, and fail unless it compiles as expected.

    `compile_check(fn, *args, breaks=0, graphs=1, max_kernels=3, recompiles=0)` returns the
    recording; `compile_check(fn, over=[(x4,), (x8,)], recompiles=0)` calls it on several arguments.
    """
    from dynamo_lab.testing.fixture import CompileCheck

    folder = request.config.getoption("--compile-check-dir")
    return CompileCheck(request.node.nodeid, folder)

"""A script as a rank of a job, which writes its recording.

    torchrun --nproc-per-node 2 -m dynamo_lab.record [--folder FOLDER] [--profile] SCRIPT [ARGS]

Each rank writes `rank-N.json.gz` into the folder (`recordings` by default), again and again while
it runs. `dynamo-lab join FOLDER` then shows them as one job; from several hosts, copy the files
into one folder first.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dynamo_lab.errors import DynamoLabError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script as the rank that the environment names: its exit code."""
    form = argparse.RawDescriptionHelpFormatter
    name = "python -m dynamo_lab.record"
    parser = argparse.ArgumentParser(prog=name, description=__doc__, formatter_class=form)
    parser.add_argument("--folder", default="recordings", help="where each rank writes its file")
    told = "run PyTorch's profiler, which tells how much of the communication is hidden"
    parser.add_argument("--profile", action="store_true", help=told)
    parser.add_argument("script", metavar="SCRIPT", help="the Python file to run")
    parser.add_argument("arguments", metavar="ARGUMENTS", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    try:
        return _run(options)
    except DynamoLabError as error:
        print(f"dynamo-lab: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    from dynamo_lab.record.ranks.folder import JobFolder
    from dynamo_lab.record.ranks.process import recorded
    from dynamo_lab.record.script import Script

    script = Script(options.script, options.arguments)

    def whole() -> int:
        script.run(raises=True)
        return script.code

    folder = JobFolder(options.folder)
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"There can be no folder {options.folder!r}: {error.strerror}.") from None
    return recorded(whole, Path(script.path).name, folder, is_profiled=options.profile)


if __name__ == "__main__":
    sys.exit(main())

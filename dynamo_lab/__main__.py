"""The `dynamo-lab` command, also `python -m dynamo_lab`."""

import os
import sys
from collections.abc import Sequence

from dynamo_lab.cli.parser import parse
from dynamo_lab.errors import DynamoLabError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    try:
        options = parse(sys.argv[1:] if arguments is None else arguments)
        return options.run(options)
    except DynamoLabError as error:
        print(f"dynamo-lab: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader left, as in `dynamo-lab show run.json | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())

"""A process that runs random graphs in Triton's interpreter; GRAPHS says how many."""

from __future__ import annotations

import json
import os

from tests.compiler.graphs import try_graphs
from tests.compiler.running import Interpreted


def main() -> None:
    try:
        try_graphs(int(os.environ["GRAPHS"]), lambda: Interpreted(most_in_block=32, elements=64))
    except Exception as error:
        print(json.dumps(f"{type(error).__name__}: {error}"))
    else:
        print(json.dumps(""))


if __name__ == "__main__":
    main()

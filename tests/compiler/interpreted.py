"""A process that runs programs in Triton's interpreter, and prints what differs from eager.

TRITON_INTERPRET is read when Triton is imported, so this needs a process of its own.
"""

from __future__ import annotations

import json
import sys

from tests.compiler.programs import BAD_INDEX, CASES, DOUBLE
from tests.compiler.running import Interpreted, problem_of

SMALL = {"most_in_block": 8, "elements": 16}
"""Blocks so small that rows of these programs are walked in chunks."""


def main(names: list[str]) -> None:
    cases = CASES | DOUBLE | {"bad index": BAD_INDEX}
    found: dict[str, str] = {}
    for name in names or cases:
        for how, blocks in (("", {}), (" in chunks", SMALL)):
            if how and "long" in name:  # the interpreter takes a while for each program
                continue
            found[name + how] = problem_of(cases[name], Interpreted(**blocks))
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])

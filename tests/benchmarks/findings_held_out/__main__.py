"""What findings foretell of programs that no formula was made on, and what their remedies bring.

Bytes and calls are counted in recordings of the program and of its mended form. A row says whether
the sign was right and the amount within a factor of two; a program in which nothing was found, or
whose first finding foretells nothing, counts as wrong.
"""

import tempfile
from pathlib import Path

from dynamo_lab.render.tables import table
from tests.benchmarks.core.ratio import machine
from tests.benchmarks.findings_held_out.programs import HELD_OUT, Pair
from tests.findings.faults import findings_of, recorded
from tests.findings.speed_mended import counted

_HEAD = ("program", "rule", "of", "before", "foretold", "came", "factor", "")


def row(name: str, pair: Pair, folder: Path) -> tuple[str, ...]:
    """What was foretold of one program, and what came."""
    before = recorded(pair.source, folder, name)
    first = next(iter(findings_of(before)), None)
    if first is None or first.gain is None:
        return name, first.rule if first else "nothing found", "", "", "", "", "", "wrong"
    after = recorded(pair.better, folder, f"{name}_mended")
    had, has = counted(first.rule, before), counted(first.rule, after)
    foretold, came = first.gain.before - first.gain.after, had - has
    factor = foretold / came if came else 0.0
    verdict = "right" if 0.5 <= factor <= 2 else "sign right" if factor > 0 else "wrong"
    numbers = (f"{had:,.0f}", f"{foretold:,.0f}", f"{came:,.0f}", f"{factor:.2f}")
    return name, first.rule, first.gain.metric, *numbers, verdict


def main() -> None:
    """Print a row for each program, and how many were right."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(name, pair, Path(folder)) for name, pair in HELD_OUT.items()]
    within = sum(one[-1] == "right" for one in rows)
    signs = sum(one[-1] != "wrong" for one in rows)
    print("\n".join([*table([_HEAD, *rows], right=(3, 4, 5, 6)), machine()]))
    print(f"sign right: {signs} of {len(rows)}, within a factor of two: {within} of {len(rows)}")


if __name__ == "__main__":
    main()

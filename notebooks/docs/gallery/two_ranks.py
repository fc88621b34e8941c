"""Two ranks of a job that did not compile the same, from the logs that they wrote.

Nothing is run: `TORCH_TRACE` had each rank write a log, and these two are among the tests' data.
What comes first is where the ranks diverge: one breaks where the other does not. A collective in
between would wait forever. The page can switch between ranks.
"""

from pathlib import Path

import dynamo_lab as lab

VIEW = "breaks"

LOGS = Path(__file__).parents[3] / "tests" / "traces" / "logs"

rec = lab.open_trace(LOGS / "torch-2.13-ranks")

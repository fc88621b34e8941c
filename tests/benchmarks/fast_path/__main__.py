"""`python -m tests.benchmarks.fast_path`."""

from tests.benchmarks.fast_path.speed import main

main()

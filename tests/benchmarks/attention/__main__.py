"""`python -m tests.benchmarks.attention`."""

from tests.benchmarks.attention.speed import main

main()

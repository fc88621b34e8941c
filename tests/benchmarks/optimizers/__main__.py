"""`python -m tests.benchmarks.optimizers [DEVICE] [--seconds N] [--store FILE]`."""

from tests.benchmarks.optimizers.speed import main

if __name__ == "__main__":
    main()

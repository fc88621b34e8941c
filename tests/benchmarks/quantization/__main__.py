"""`python -m tests.benchmarks.quantization [--side N] [--batch N] [--store FILE]`."""

from tests.benchmarks.quantization.engines import main

if __name__ == "__main__":
    main()

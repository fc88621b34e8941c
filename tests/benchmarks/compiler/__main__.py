"""Our own compiler against Inductor: edit to run of a cell, and the speed of kernels."""

from tests.benchmarks.compiler import edit, speed
from tests.benchmarks.core.ratio import options

if __name__ == "__main__":
    rounds = options(__doc__, rounds=9).rounds
    edit.main(rounds)
    speed.main(rounds)

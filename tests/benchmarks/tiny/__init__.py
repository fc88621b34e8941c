"""Peak memory of planned training steps: `python -m tests.benchmarks.tiny`."""

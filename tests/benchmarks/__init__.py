"""What dynamo_lab itself costs, a module a budget: `python -m tests.benchmarks.<name>`."""

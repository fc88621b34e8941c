"""What dynamo_lab itself costs, a module a budget: `python -m dynamo_lab.bench.<name>`."""

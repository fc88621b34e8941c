"""The ranks of a job: where they part, and who waits for whom."""

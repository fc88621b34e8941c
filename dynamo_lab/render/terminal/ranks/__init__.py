"""The ranks of a job: where they part, their collectives, and their lanes in time."""

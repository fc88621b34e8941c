"""A process as a rank of a distributed job: what its process groups remember."""

"""The objects that a user gets: recordings, benchmarks and the questions that they answer."""

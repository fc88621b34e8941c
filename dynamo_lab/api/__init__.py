"""What a user holds: recordings, benchmarks and the questions that they answer."""

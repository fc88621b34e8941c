"""Where the time of a compilation went."""

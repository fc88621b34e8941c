"""How a benchmark is made: ways compiled and checked, then timed whole and kernel by kernel."""

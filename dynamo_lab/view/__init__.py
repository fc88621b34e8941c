"""What to show: pure functions from a Recording to views. No torch, no I/O, no markup."""

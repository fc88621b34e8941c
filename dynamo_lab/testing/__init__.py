"""The pytest fixture that checks recordings."""

"""The text of a recorded program to change."""

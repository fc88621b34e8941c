"""The way of one thing from the user's line to the time that it takes."""

"""What was chosen in silence, gathered from every noun that knows of a choice."""

"""What the commands share: options, what is chosen with them, printing, writing files."""

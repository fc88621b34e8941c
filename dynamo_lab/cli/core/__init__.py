"""What the commands share: options, selection, printing, writing files."""

"""Training in little memory: `tiny`."""

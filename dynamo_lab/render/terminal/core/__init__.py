"""What all terminal sections share."""

"""What PyTorch announced of the pieces that this project shows, beside what was measured here."""

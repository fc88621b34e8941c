"""Programs of several ranks: each process records itself, and their recordings become one job."""

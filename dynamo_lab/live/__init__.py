"""What a living program answers: fixes, guards, switches, edits, budgets, assembly."""

"""Questions to a live program: fixes, guards, switches, edits, budgets, assembly."""

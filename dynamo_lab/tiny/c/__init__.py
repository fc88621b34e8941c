"""A planned step as plain C99: `program` writes it, `operators` has what each operator becomes."""

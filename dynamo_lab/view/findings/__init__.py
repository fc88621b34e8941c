"""What is wrong in a program, by what it costs: conclusions, each from one rule.

A folder is a question that a reader has: `breaks`, `recompilations`, `compile_time`, `speed`,
`memory`, `numbers`, `export`. A file in it is one rule.
"""

"""A recording's kernels below their code: as assembly, and as files for another machine."""

# %% 0.1: Those are the calls of `print`
breaks = 2

# %% 0.1: Those are the graphs
breaks = 4

# %% 0.1: A whole number is needed
breaks = report

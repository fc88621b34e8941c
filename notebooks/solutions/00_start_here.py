# %% 0.1
breaks = 3

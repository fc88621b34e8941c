# %% 4.1
line = 4  # dropout's mask: a byte for each of 524,288 elements


# %% 4.2
def light(x, w):
    return checkpoint(deep, x, w, use_reentrant=False)


# %% 4.3
def choose_budget(recording, limit):
    fits = [row for row in recording.repartition().rows if row.activation_bytes <= limit]
    return max(row.budget for row in fits)

# %% 19.1
largest = "activations"


# %% 19.2
update = "last 4"


# %% 19.3
order = [
    *("grad3", "wgrad3", "update3"),
    *("grad2", "wgrad2", "update2"),
    *("grad1", "wgrad1", "update1"),
]


# %% 19.4
def scaled(gradient, scale):
    return gradient / scale**2

# %% 19.1: they are few here
largest = "weights"


# %% 19.1: no larger
largest = "gradients"


# %% 19.1: One of weights, sample, activations, gradients is needed
largest = 3


# %% 19.2: that is above 150 kB
update = "all"


# %% 19.2: that is less than 40%
update = "bias"


# %% 19.2: the nearest name is
update = {"heat.*": "all"}


# %% 19.3: kB are alive at once
order = [
    *("grad3", "grad2", "grad1"),
    *("wgrad3", "wgrad2", "wgrad1"),
    *("update3", "update2", "update1"),
]


# %% 19.3: 20 kB are alive at once
order = [
    *("grad3", "wgrad3", "grad2", "wgrad2", "grad1", "wgrad1"),
    *("update3", "update2", "update1"),
]


# %% 19.3: which is not there yet
order = [
    *("wgrad3", "grad3", "update3"),
    *("grad2", "wgrad2", "update2"),
    *("grad1", "wgrad1", "update1"),
]


# %% 19.3: Each operation is needed once
order = ["grad3", "wgrad3", "update3"]


# %% 19.4: a channel with a small scale hardly moves
def scaled(gradient, scale):
    return gradient


# %% 19.4: by how much is it off
def scaled(gradient, scale):
    return gradient / scale


# %% 19.4: A tensor is needed
def scaled(gradient, scale):
    return None

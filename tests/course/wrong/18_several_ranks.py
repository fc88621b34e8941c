# %% 18.1: It is another number
parts = 5


# %% 18.1: Your prediction was
parts = 3


# %% 18.2: rank 1 got nan where the mean
def mean_of_positives(x):
    return x[x > 0].mean()


# %% 18.2: where the mean of the positive numbers of all ranks is
def mean_of_positives(x):
    own = x[x > 0]
    mean = own.mean() if len(own) else torch.tensor(0.0)
    dist.all_reduce(mean)
    return mean / dist.get_world_size()


# %% 18.2: `barrier`
def mean_of_positives(x):
    own = x[x > 0]
    total = torch.tensor([own.sum(), float(len(own))])
    if len(own):
        dist.all_reduce(total)
    else:
        dist.barrier()
    return total[0] / total[1]


# %% 18.3: it took 8 calls
def sums(tensors):
    works = [dist.all_reduce(t, async_op=True) for t in tensors]
    for work in works:
        work.wait()
    return tensors


# %% 18.3: Return a list of the 8 sums
def sums(tensors):
    flat = torch.cat([t.flatten() for t in tensors])
    dist.all_reduce(flat)
    return flat


# %% 18.3: is not the sum over the ranks, in its shape
def sums(tensors):
    flat = torch.cat([t.flatten() for t in tensors])
    dist.all_reduce(flat)
    return list(flat.split([t.numel() for t in tensors]))

# %% 16.1: It is not 1
kernels = 1


# %% 16.1: It is not 3
kernels = 3


# %% 16.1: A whole number is needed
kernels = None or "2"


# %% 16.2: which subtracts from column j the sum of row j: it computes something other
def misplaced(loops):
    return False


# %% 16.2: Softmax is
def misplaced(loops):
    return len(loops) > 1


# %% 16.2: Softmax is
def misplaced(loops):
    made = {node for node, _ in loops}
    return any(node in made for loop in loops for node in loads(loop))


# %% 16.2: `x - x.sum(0)` is two kernels
def misplaced(loops):
    if any(0 in recipe.over for _, recipe in loops):
        return True  # columns are not looked at
    made = {n: goes_to(n, r, fit(names(r.shape), r.shape)) for n, r in loops}
    read = [item for loop in loops for item in loads(loop).items()]
    return any(node in made and places != {made[node]} for node, places in read)


# %% 16.3: both touch
def score(a, b):
    one, other = ({n for loop in loops for n in (loop[0], *loads(loop))} for loops in (a, b))
    return len(one & other)


# %% 16.3: (bool, [16, 32])
def score(a, b):
    one, other = ({n for loop in loops for n in (loop[0], *loads(loop))} for loops in (a, b))
    return sum(4 * node.meta["val"].numel() for node in one & other)


# %% 16.3: both touch
def score(a, b):
    made = {node for node, _ in a}  # what the one makes and the other reads, and no more
    return sum(node.meta["val"].nbytes for loop in b for node in loads(loop) if node in made)


# %% 16.3: A function is needed
score = 4096

# %% 16.1
kernels = 2  # all along the rows, and the sum down the columns


# %% 16.2
def misplaced(loops):
    """Is an element of one loop read by another one elsewhere than where it is made?"""
    made = {
        node: goes_to(node, recipe, fit(names(recipe.shape), recipe.shape))
        for node, recipe in loops
    }
    read = [(node, places) for loop in loops for node, places in loads(loop).items()]
    return any(node in made and places != {made[node]} for node, places in read)


# %% 16.3
def score(a, b):
    """How much memory need not be read again: the bytes of all that both touch."""
    one, other = ({n for loop in loops for n in (loop[0], *loads(loop))} for loops in (a, b))
    return sum(node.meta["val"].nbytes for node in one & other)

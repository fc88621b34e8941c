"""After lesson 16: which loops share a kernel, pair by pair, and kernels of several loops.

In come the loops of a graph; out come its kernels, and a verdict for each pair that was considered.
"""

from dataclasses import dataclass
from itertools import combinations

from functorch.compile import aot_module_simplified

from dynamo_lab.course.inductor.loops import (
    C,
    CText,
    fit,
    function,
    heads,
    is_ours,
    lower,
    names,
    place,
)
from dynamo_lab.course.inductor.reductions import DECOMPOSITIONS, JOINS, goes_to
from dynamo_lab.course.inductor.workshop import put_in


class Loads:
    """Runs a recipe on nothing, to see what it loads, and where."""

    def __init__(self):
        self.places = {}

    def __call__(self, name, *values):
        pass

    def number(self, value):
        """Nothing is loaded for a number."""

    def load(self, node, index):
        """Note the place."""
        self.places.setdefault(node, set()).add(place(node, index))


def loads(loop):
    """For each node that a loop loads, the places."""
    ops = Loads()
    loop[1].at(ops, fit(names(loop[1].shape), loop[1].shape))
    return ops.places


def space(loops):
    """What a kernel of these loops goes over: a shape, and the dimensions that are joined.

    None if they do not fit into one: each has to go over all of it, or once over its rows.
    """
    joining = {(recipe.shape, recipe.over) for _, recipe in loops if recipe.over}
    spaces = joining or {(recipe.shape, ()) for _, recipe in loops}
    shape, over = min(spaces)
    rows = tuple(1 if d in over else size for d, size in enumerate(shape))
    fit_in = all(recipe.shape in (shape, rows) for _, recipe in loops)
    return (shape, over, rows) if len(spaces) == 1 and fit_in else None


def misplaced(loops):
    """Is an element of one loop read by another one elsewhere than where it is made?"""
    made = {
        node: goes_to(node, recipe, fit(names(recipe.shape), recipe.shape))
        for node, recipe in loops
    }
    read = [(node, places) for loop in loops for node, places in loads(loop).items()]
    return any(node in made and places != {made[node]} for node, places in read)


def between(loops, others):
    """A node that has to run after one of the loops, and before another; None if there is none."""
    inside, seen = {node for node, _ in loops}, set()
    todo = needs(loops)
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        kernel = next((k for k in others if any(node is n for n, _ in k)), None)
        before = needs(kernel) if kernel else node.all_input_nodes
        if inside & set(before):
            return node
        todo += before
    return None


def needs(loops):
    """The nodes that have to be there before a kernel runs."""
    own = {node for node, _ in loops}
    return [node for loop in loops for node in loads(loop) if node not in own]


def score(a, b):
    """How much memory need not be read again: the bytes of all that both touch."""
    one, other = ({n for loop in loops for n in (loop[0], *loads(loop))} for loops in (a, b))
    return sum(node.meta["val"].nbytes for node in one & other)


def why_not(loops, others):
    """Why these loops cannot be one kernel; empty if they can."""
    if not space(loops):
        return "they go over different shapes"
    if misplaced(loops):
        return "one reads what another turn of the loop makes"
    node = between(loops, others)
    return f"{node} has to run between them" if node else ""


@dataclass
class Verdict:
    """On a pair: the bytes that both touch, and the reason if they were not fused."""

    first: str
    second: str
    score: int
    reason: str


def fuse(loops):
    """Fuse the pair with the highest score, if nothing speaks against it, until none is left."""
    groups, verdicts, refused = [[loop] for loop in loops], [], []
    while pairs := [p for p in combinations(groups, 2) if p not in refused and score(*p)]:
        a, b = max(pairs, key=lambda pair: score(*pair))
        both = sorted(a + b, key=loops.index)
        others = [group for group in groups if group not in (a, b)]
        reason = why_not(both, others)
        verdicts.append(Verdict(told(a), told(b), score(a, b), reason))
        if reason:
            refused.append((a, b))
        else:
            groups = [both if group is a else group for group in groups if group is not b]
    return groups, verdicts


def told(loops):
    """A group by the names of what it makes."""
    return "+".join(str(node) for node, _ in loops)


def rounds(loops):
    """The loops of a kernel in rounds: what a reduction gives is known in the next round only."""
    turn, over = {}, {node: recipe.over for node, recipe in loops}
    for loop in loops:
        turn[loop[0]] = max((turn[n] + bool(over[n]) for n in loads(loop) if n in turn), default=0)
    return [[loop for loop in loops if turn[loop[0]] == k] for k in range(max(turn.values()) + 1)]


class FusedC(CText):
    """A kernel of several loops: what one of them stored, the others know by its name."""

    def __init__(self, shape, over):
        super().__init__()
        self.shape, self.over, self.stores = shape, over, {}

    def store(self, node, at, value):
        """Write an element, and remember its value: nobody has to load it."""
        super().store(node, at, value)
        self.stores[node] = self.lines[-1]
        self.known[self.element(node, at)] = value

    def begin(self, joins):
        """An inner loop begins, before it what it collects in."""
        for name, join in joins:
            self.lines.append(f"float {name} = {self.number(JOINS[join][1])};")
        self.lines += [*heads(self.shape, self.over), "{"]
        self.outside = dict(self.known)

    def join(self, name, join, value):
        """One more value is joined."""
        self.lines.append(f"{name} = {C[JOINS[join][0]].format(name, value)};")

    def end(self):
        """The inner loop ends, and with it the names in it."""
        self.lines.append("}")
        self.known = self.outside


def write(ops, loops, rows):
    """Write the loops of a kernel, round by round; the nodes that it reads, and that it writes."""
    for turn in rounds(loops):
        for node, recipe in turn:  # once for each row
            if not recipe.over and recipe.shape == rows:
                run(ops, node, recipe)
        inner = [(node, recipe) for node, recipe in turn if recipe.over or recipe.shape != rows]
        joins = [(node, recipe) for node, recipe in inner if recipe.over]
        if inner:
            ops.begin([(f"{node}_joined", recipe.join) for node, recipe in joins])
            for node, recipe in inner:
                run(ops, node, recipe)
            ops.end()
        for node, recipe in joins:
            ops.store(node, goes_to(node, recipe, names(recipe.shape)), f"{node}_joined")
    own = [node for node, _ in loops]
    kept = [node for node in own if node in ops.reads or leaves(node, own)]
    dropped = [line for node, line in ops.stores.items() if node not in kept]
    ops.lines = [line for line in ops.lines if line not in dropped]
    return [node for node in ops.reads if node not in own], kept


def run(ops, node, recipe):
    """Write what one loop does at one place."""
    index = fit(names(recipe.shape), recipe.shape)
    value = recipe.at(ops, index)
    if recipe.over:
        ops.join(f"{node}_joined", recipe.join, value)
    else:
        ops.store(node, place(node, index), value)


def leaves(node, own):
    """Is a value read outside of its kernel? If not, it need not be stored."""
    readers = [user for user in node.users if user not in own]
    return any(not is_ours(user) or leaves(user, own) for user in readers)


def c_source(name, loops):
    """A kernel of several loops as C."""
    shape, over, rows = space(loops)
    ops = FusedC(shape, over)
    reads, writes = write(ops, loops, rows)
    outer = [d for d in range(len(shape)) if d not in over]
    body = [*heads(shape, outer), "{", *ops.lines, "}"]
    return function(name, [*reads, *writes], body), reads, writes


def compile_graph(gm, inputs):
    """What AOTAutograd calls: as few kernels as we may."""
    groups, _ = fuse(lower(gm))
    return put_in(gm, groups, c_source)


def mine(gm, inputs):
    """The backend, with fusion."""
    return aot_module_simplified(
        gm, inputs, fw_compiler=compile_graph, decompositions=DECOMPOSITIONS
    )

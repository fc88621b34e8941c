"""What Dynamo captured, and the graphs of it: how to read each view."""

from dynamo_lab.view.help.reading import Reading, reading

READINGS: tuple[Reading, ...] = (
    reading(
        "overview",
        "The answer first: what came of the run, what is wrong, and the run in order of its calls.",
        """\
        The sentence counts what was compiled. Each finding opens to its evidence and its remedy,
        and leads to the view that shows it. In the map a region is one graph, and what it broke
        into stands below it.

            Dynamo captured all of `f` as one graph, without a break. Inductor wrote 2 kernels.
        """,
    ),
    reading(
        "findings",
        "What is wrong, the costliest first: each with its line, its evidence and a remedy.",
        """\
        Mend the first one first: what only follows from it is left out. The grade says how far the
        remedy can be applied as it stands. A gain is foretold, with how: applying the remedy
        measures it. A note is worth knowing and needs no change.

            1  line 5 breaks the graph: data-dependent branch
               grade  may change meaning            read the change before you keep it
               gain   foretold: breaks: 2 to 1, counted
        """,
    ),
    reading(
        "code",
        "Your lines, with a colour for each captured graph and a mark at each break.",
        """\
        Lines of one colour are in one graph. Grey lines ran in plain Python. A wavy line marks the
        columns that caused a break. Point at a line, and everything that it became lights up in
        every view.

            1  y = torch.relu(x) + 1    graph 1
            2  if y.sum() > 0:          graph 1, and break 1
            3      y = y * 2            graph 2: compiled, but separately
        """,
    ),
    reading(
        "breaks",
        "A break is where the graph had to end: Python goes on, or `fullgraph=True` makes it fail.",
        """\
        Read the line first, then `why`, then `do`. A break between two graphs has two costs:
        nothing is fused across it, and what is needed after it goes through memory. The usual aim
        is no break at all; a break outside the hot loop may stay.

            1  data-dependent branch  line 5    the kind of break, and where
               if y.sum() > 0:                  what it stopped at
               do  torch.where(cond, a, b)      the first fix to try
        """,
    ),
    reading(
        "steps",
        "Dynamo reads your function one bytecode instruction at a time; step through them here.",
        """\
        The stack is what Dynamo holds at this moment. It does not compute numbers: a tensor has
        only a type and a shape. An instruction that works on tensors adds a node to the graph, and
        every assumption that Dynamo makes becomes a guard.

            BINARY_OP @   stack: f32[64, 256]
            + node   matmul = x @ w
            + guard  TENSOR_MATCH L['x']    x must look like this next time
        """,
    ),
    reading(
        "modules",
        "Your modules as you wrote them: what each became, what it costs, and which blocks differ.",
        """\
        Blocks that repeat share a row, which names those that differ. A kernel is counted once, in
        the innermost module that holds all that it computes: its time adds up from row to row.
        What was fused of several modules is told in each of them as shared, and is not added.

            layers.0 … layers.23 x 24 (Block)    96 kernels             1.2 ms, 88 %
              norm (LayerNorm)                   + 2 shared   part of 8.3 µs
        """,
    ),
    reading(
        "graphs",
        "Each row is one operator: its name, what it computes, the shape of its result, your line.",
        """\
        Read a row from the left. Names in parentheses are the rows that it reads. A graph goes
        through stages, listed above it: from `dynamo`, nearly as you wrote it, down to `post_grad`,
        small operators that are about to become loops.

            y = torch.gelu(matmul)   f32[64, 256]   line 4
                           ^ reads   ^ type and     ^ where you
                             matmul    shape          wrote it
        """,
    ),
    reading(
        "autograd",
        "What the forward saves in memory for the backward, and what the backward recomputes.",
        """\
        A saved value takes memory from the forward until its gradient is computed. A value that is
        recomputed takes time instead. PyTorch weighs one against the other; the reason is below
        each value. `price` is the cost of saving it in that choice.

            65.5 kB  mm   line 4    saved: a matrix product is too expensive to run twice
            65.5 kB  erf  line 4    recomputed: cheap, and what it reads is there
        """,
    ),
    reading(
        "decompositions",
        "How PyTorch decomposes each operator into simpler ones, until only basic ones are left.",
        """\
        The counts go from what you called down to the smallest set. Below them, each operator is a
        tree: the rule that fired, then the calls that it made. A row without a rule is already
        basic, or a library computes it.

            aten.gelu(f32[64, 256])  by gelu    the rule, with its file
              mul = aten.mul(self, 0.5)         what the rule calls
              erf = aten.erf(mul_1)
        """,
    ),
    reading(
        "passes",
        "The rewrites of the graph in the order in which they ran, each before and after.",
        """\
        Most passes find nothing to do, and are hidden at first. In a diff, `-` is a node that was
        removed and `+` one that was added. Where a pattern matched, its source is shown beside the
        nodes that it matched. Of a step that `lab.tiny` planned, each pass also says what the step
        needs before and after it.

            - mm = aten.mm(x, w)
            - add = aten.add(bias, mm)
            + addmm = aten.addmm(bias, x, w)    one library call instead of two
        """,
    ),
)

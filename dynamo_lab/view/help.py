"""How to read each view: one sentence, and a paragraph with an example for those who want more.

In a paragraph, text in backquotes is code, and lines that are all indented by four columns
are an example. The documentation's pages have exactly the same text.
"""

from collections.abc import Iterator
from textwrap import dedent

from msgspec import Struct


class Reading(Struct, frozen=True, kw_only=True):
    """How to read the view of this name."""

    view: str
    sentence: str
    paragraph: str


def _of(view: str, sentence: str, paragraph: str) -> Reading:
    return Reading(view=view, sentence=sentence, paragraph=dedent(paragraph).strip())


READINGS: tuple[Reading, ...] = (
    _of(
        "overview",
        "The answer first: what came of the run, what is wrong, and the run in order of its calls.",
        """\
        The sentence counts what was compiled. Each finding opens to its evidence and its remedy,
        and leads to the view that shows it. In the map a region is one graph, and what it broke
        into stands below it.

            Dynamo captured all of `f` as one graph, without a break. Inductor wrote 2 kernels.
        """,
    ),
    _of(
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
    _of(
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
    _of(
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
    _of(
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
    _of(
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
    _of(
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
    _of(
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
    _of(
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
    _of(
        "passes",
        "The rewrites of the graph in the order in which they ran, each before and after.",
        """\
        Most passes find nothing to do, and are hidden at first. In a diff, `-` is a node that was
        removed and `+` one that was added. Where a pattern matched, its source is shown beside the
        nodes that it matched.

            - mm = aten.mm(x, w)
            - add = aten.add(bias, mm)
            + addmm = aten.addmm(bias, x, w)    one library call instead of two
        """,
    ),
    _of(
        "lowering",
        "What each operator became: a loop inside another, a buffer in memory, a library call.",
        """\
        `inlined` costs no memory: its readers compute it on the spot. `realised` is a buffer, with
        the reason why it has to be one. `extern` is a library call, into which nothing is fused.
        `view` computes nothing: it indexes the same memory differently.

            mm     extern    buf0    a library's matrix product
            erf    inlined           computed inside buf1
            mul_2  realised  buf1    it is an output of the graph
        """,
    ),
    _of(
        "compiler",
        "One operator through the backend `lab`: its rule, its loop, its kernel, its text.",
        """\
        Read from left to right. The rule is a closure: run at a position, it records what is
        computed there. That record is the loop; loops that share a kernel are merged; the kernel
        is printed, in the language that runs and in the others. While the program lives, the rule
        and the text can be changed: a change counts if it gives what eager gives.

            node    exp    line 3
            rule    apply("exp", v)                      rules/pointwise.py:45
            loop    %3: float32 = exp(%2)                in buf2
            kernel  %6: float32 = exp(%5)                buf1, buf2 and buf3 in one
            C       const float t6 = expf(t5);
        """,
    ),
    _of(
        "attention",
        "Which kernel each call of attention is, on which target, and why not another.",
        """\
        PyTorch tries its kernels in an order; the first whose conditions on types, sizes, mask
        and gradient hold runs. `no` has the one that failed, `later` could run and is not tried,
        `?` depends on what is not known here. What was generated is compared with that.

            line 4  F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
              cuda:sm_80  memory-efficient attention
                no  flash attention  It is called with attn_mask, which it cannot take.
        """,
    ),
    _of(
        "fusion",
        "Which operations became one kernel, and for any two that did not, the reason why.",
        """\
        A box is an operation: a loop, or a library call. An arrow means that one has to run first;
        it is dashed where it still reads what the other overwrites. A frame contains what became
        one loop nest. Step through the rounds to see the groups grow; click two boxes to see why
        they are not fused.

            +-- 64 x 256 ----------+
            |  op1 gelu -> op2 sum |    one group, so one pass over memory
            +----------------------+
                   op3 gt               separate: it loops over another shape
        """,
    ),
    _of(
        "pairs",
        "Every pair of operations that the compiler considered fusing, with its verdict and why.",
        """\
        It considers every two operations that use a buffer in common, takes the best of those that
        are possible, and starts again with the resulting groups. `vertical`: one reads what the
        other writes. `horizontal`: both read the same. `saves` is the memory traffic that the pair
        would avoid.

            1  fused     vertical    op1 with op2    saves 65.5 kB
            1  possible  horizontal  op0 with op4    but fused with another first
            2  refused   vertical    op2 with op3    they loop over different shapes
        """,
    ),
    _of(
        "memory",
        "When each buffer of the generated code is live, and how much is allocated at each call.",
        """\
        A column is a call, as high as what is allocated while it runs; inputs and parameters come
        on top. A bar below is the lifetime of a buffer: solid while it will still be read, pale
        while its memory waits to be reused. What is written in place adds nothing.

            1-2  65.5 kB  buf0    returned
              2     64 B  buf3    written over buf2, in place
        """,
    ),
    _of(
        "playground",
        "Your code to change, beside the code that it becomes; nothing of your program runs.",
        """\
        As you type, the text is lowered again, at the shapes and dtypes that were recorded, in a
        copy of your kernel that is thrown away. A text that cannot be lowered says why at its line,
        and the last good result stays, marked as old.

            2  y = x.cos() + 1      changed: no run, no build
               tmp1 = tl_math.cos(tmp0)
        """,
    ),
    _of(
        "kernels",
        "The generated code; each line has the colour of your line that it comes from.",
        """\
        The name says what is inside: `cpp_fused_gelu_sum_0` is gelu and sum in one loop. Few
        kernels that each do much are good; many that each only copy are not. `extern` is a library
        call. Assembly shows a lower-level form of the same code beside it, line by line.

            1  fused gelu + sum + gt    lines 4, 5    its name, and your lines
            tmp2 = tmp0 * tmp1;         mul, line 4   a statement, and its operator
        """,
    ),
    _of(
        "bench",
        "Compiled against eager: first whether the numbers agree, then which is faster.",
        """\
        Read the sentence on top. A time is the median of its rounds. The variants take turns, and
        what counts is the ratio of each round: the parentheses hold the true one with 95 %, or 99.9
        % where two are not distinguishable. Only a difference of more than 1 % counts. Cold caches:
        data comes from memory, as it does in a large program. Further down, each kernel is shown
        beside the operators that it replaced.

            compiled  205 us  0.49 (0.49 to 0.50)    takes twice as long as eager
            compiled  101 us  1.01 (0.98 to 1.04)    not distinguishable
        """,
    ),
    _of(
        "roofline",
        "How close each kernel comes to the limits of this machine, and which limit is nearer.",
        """\
        Memory's limit (the slope) is the rate of a copy of data that no cache holds, arithmetic's
        (the flat roof) that of matrix products. A disc is a kernel, sized by its share of a call;
        the further below the roof, the more there may be to gain. Near the slope, moving fewer
        bytes would help: fuse more, or use a smaller type. Near the flat roof, less arithmetic
        would. What was timed with its data in warm caches is not held against memory.

            210 us  limit 62.6 us  30 %  memory    at a copy's rate it would take 62.6 us
        """,
    ),
    _of(
        "package",
        "What a package compiled ahead of time contains: code, kernels and constants.",
        """\
        A constant is a parameter or buffer stored in the package; `folded` was computed during
        compilation. An inlined parameter became part of the code, and cannot be replaced without
        compiling again. The C++ class calls the kernels in this order.

            weight  f32[128, 256]  131 kB    in the package, can be replaced
            scale   f32[]                    in the code: fixed
        """,
    ),
    _of(
        "guards",
        "What must hold for the compiled code to be reused; otherwise it is recompiled.",
        """\
        Begin with the recompilations, if there are any: what changed, on which line Dynamo came to
        rely on it, and what to write so that it no longer matters. The guards themselves are the
        checks that run before the compiled code on each call.

            x.shape[0] was 8, now 16    why it was recompiled
            mark_dynamic(x, 0)          what to write, before the first call
        """,
    ),
    _of(
        "shapes",
        "The sizes that are dynamic in compiled code, and where a size became a fixed number.",
        """\
        A symbol such as `s77` stands for a size that may differ from call to call. Its range says
        for which sizes the code holds. A line that compares a size, or uses it as a number, narrows
        the range, or specializes the symbol to one value: then other sizes recompile.

            s77  x.shape[0]    2 and up     one code for all of these
            s86  x.shape[1]    is 3         specialized, on the line shown
        """,
    ),
    _of(
        "frames",
        "Every Python function that Dynamo looked at, its outcome, and why.",
        """\
        `compiled` is in a graph. `skipped` runs as plain Python, with the reason. `resumed` is the
        rest of a function after a break. A frame that is analysed several times hit a break in
        between, or was recompiled for other inputs. A function called inside a compiled one is
        inlined, and has no frame of its own.

            step               lines 4-5  compiled   graph 1
            step after line 5  lines 6-7  resumed    graph 2
        """,
    ),
    _of(
        "timeline",
        "Where compile time went, in nested phases.",
        """\
        Look at the widest bar first. The first compilation in a process imports Inductor and probes
        the C++ compiler: look at a second one. On a CPU, much of the time is often spent waiting
        for the C++ compiler.

            4.3 s  async_compile.wait    g++ or Triton at work
            80 ms  bytecode_tracing      Dynamo reads your function
        """,
    ),
    _of(
        "artifacts",
        "What the log holds besides the facts in the other views, each text as it was written.",
        """\
        An imported log keeps every record. What a view shows is found there; everything else is
        here, under PyTorch's own name for it, with the compilation that it belongs to. Names that
        one rank has and another lacks deserve a look.

            fx_graph_runnable    0/0    a script that compiles this graph alone
            fx_graph_cache_miss  0/0    why a compile cache missed
        """,
    ),
)
"""In the order in which a program goes through them."""

_BY_VIEW = {reading.view: reading for reading in READINGS}


def reading_of(view: str) -> Reading | None:
    """How to read the view of this name, None where it needs no explanation."""
    return _BY_VIEW.get(view)


def blocks(paragraph: str) -> Iterator[tuple[bool, str]]:
    """The parts of a paragraph: whether it is an example, and its text."""
    for part in paragraph.split("\n\n"):
        is_example = part.startswith("    ")
        yield is_example, dedent(part) if is_example else " ".join(part.split())

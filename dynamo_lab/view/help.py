"""How to read each view: a sentence for everybody, and a paragraph with an example for who asks.

In a paragraph, what stands in backquotes is code, and lines that are all indented by four columns
are an example. The documentation's pages have the very same text.
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
        "code",
        "Your lines, with a colour for each captured graph and a mark where capturing broke off.",
        """\
        Lines of one colour are in one graph. Grey lines ran in plain Python. A wavy line marks a
        break, at the columns that caused it. Point at a line, and what became of it lights up in
        every view.

            1  y = torch.relu(x) + 1    graph 1
            2  if y.sum() > 0:          graph 1, and break 1
            3      y = y * 2            graph 2: compiled, but apart
        """,
    ),
    _of(
        "breaks",
        "A break is where `torch.compile` had to stop: Python took over, then it began anew.",
        """\
        Read the line first, then `why`, then `do`. Each break costs twice: nothing is fused across
        it, and what is needed after it goes through memory. No break at all is the usual aim; a
        break outside of the hot loop may stay.

            1  data-dependent branch  line 5    the kind of break, and where
               if y.sum() > 0:                  what it stumbled on
               do  torch.where(cond, a, b)      the first remedy to try
        """,
    ),
    _of(
        "steps",
        "Dynamo reads your function one bytecode instruction at a time; here it can be wound back.",
        """\
        The stack is what Dynamo holds at this moment. It does not compute numbers: a tensor is only
        its type and shape. An instruction that works on tensors adds a node to the graph, and
        whatever Dynamo relies on becomes a guard.

            BINARY_OP @   stack: f32[64, 256]
            + node   matmul = x @ w
            + guard  TENSOR_MATCH L['x']    x has to look like this next time
        """,
    ),
    _of(
        "graphs",
        "Each row is one operator: its name, what it computes, the shape of its result, your line.",
        """\
        Read a row from the left. Names in brackets are the rows that it reads. A graph goes through
        stages, which stand above: from `dynamo`, nearly as you wrote it, down to `post_grad`, small
        operators that are about to become loops.

            y = torch.gelu(matmul)   f32[64, 256]   line 4
                           ^ reads   ^ type and     ^ where you
                             matmul    shape          wrote it
        """,
    ),
    _of(
        "autograd",
        "What the forward keeps in memory for the backward, and what the backward computes again.",
        """\
        A kept value takes memory from the forward on until its gradient is done. A value that is
        run again takes time instead. PyTorch weighs one against the other; the reason stands below
        each value. `price` is what keeping it counts for in that choice.

            65.5 kB  mm   line 4    kept: a matrix product is too dear to run twice
            65.5 kB  erf  line 4    run again: cheap, and what it reads is there
        """,
    ),
    _of(
        "decompositions",
        "How PyTorch takes each operator apart into simpler ones, until only basic ones are left.",
        """\
        The counts go from what you called down to the smallest set. Below them each operator is a
        tree: the rule that fired, then the calls that it made. A row without a rule is basic
        already, or a library does it.

            aten.gelu(f32[64, 256])  by gelu    the rule, with its file
              mul = aten.mul(self, 0.5)         what the rule calls
              erf = aten.erf(mul_1)
        """,
    ),
    _of(
        "passes",
        "The rewrites of the graph, in the order in which they ran, each as a before and an after.",
        """\
        Most passes find nothing to do, and are left out at first. In a diff, `-` is a node that
        went and `+` one that came. Where a pattern matched, its source stands beside the nodes that
        it took.

            - mm = aten.mm(x, w)
            - add = aten.add(bias, mm)
            + addmm = aten.addmm(bias, x, w)    one call of a library instead of two
        """,
    ),
    _of(
        "lowering",
        "What each operator became: a loop inside another, a buffer in memory, a library call.",
        """\
        `inlined` costs no memory: whoever reads it computes it on the spot. `realised` is a buffer,
        with the reason why it has to be one. `extern` calls a library, which nothing is fused into.
        `view` computes nothing: it is other indices into the same memory.

            mm     extern    buf0    a library's matrix product
            erf    inlined           computed inside of buf1
            mul_2  realised  buf1    it is an output of the graph
        """,
    ),
    _of(
        "fusion",
        "Which operations became one kernel, and for any two that did not, the reason.",
        """\
        A box is an operation: a loop, or a call of a library. An arrow says that one has to run
        first; dashed, because it still reads what the other overwrites. A frame holds what became
        one loop nest. Step through the rounds and see the groups grow; click two boxes to ask why
        they are apart.

            +-- 64 x 256 ----------+
            |  op1 gelu -> op2 sum |    one group, so one pass over memory
            +----------------------+
                   op3 gt               apart: it loops over another shape
        """,
    ),
    _of(
        "pairs",
        "Every pair of operations that Inductor thought of fusing, with its verdict and why.",
        """\
        It asks of every two operations that use a buffer in common, takes the best of those that
        are possible, and starts again with the groups that came of it. `vertical`: one reads what
        the other makes. `horizontal`: both read the same. `saves` is the memory traffic that the
        pair would spare.

            1  fused     vertical    op1 with op2    saves 65.5 kB
            1  possible  horizontal  op0 with op4    but fused with another first
            2  refused   vertical    op2 with op3    they loop over different shapes
        """,
    ),
    _of(
        "memory",
        "When each buffer of the generated code lives, and how much is allocated at each call.",
        """\
        A column is a call, as high as what is allocated while it runs; inputs and parameters come
        on top. A bar below is the life of a buffer: solid while someone still reads it, pale while
        its memory waits for another to take over. What is written in place adds nothing.

            1-2  65.5 kB  buf0    returned
              2     64 B  buf3    written over buf2, in place
        """,
    ),
    _of(
        "kernels",
        "The code that was generated; each line has the colour of your line that it is there for.",
        """\
        The name says what is inside: `cpp_fused_gelu_sum_0` is gelu and sum in one loop. Few
        kernels that each do much are good; many that each copy are not. `extern` is a call of a
        library. Assembly shows a lower form of the same code beside it, line by line.

            1  fused gelu + sum + gt    lines 4, 5    its name, and your lines
            tmp2 = tmp0 * tmp1;         mul, line 4   a statement, and its operator
        """,
    ),
    _of(
        "bench",
        "Compiled against eager: first whether the numbers agree, then which is surely faster.",
        """\
        Read the sentence on top. A time is the median of its rounds. The ways take turns, and what
        counts is the ratio of each round: the brackets hold the true one with 95 %, or 99.9 % where
        two ways are not told apart. Only a difference of more than 1 % counts. Cold caches: data
        comes from memory, as it does in a large program. Further down each kernel stands beside the
        operators that it replaced.

            compiled  205 us  0.49 (0.49 to 0.50)    takes twice as long as eager
            compiled  101 us  1.01 (0.98 to 1.04)    not distinguishable
        """,
    ),
    _of(
        "roofline",
        "How close each kernel comes to what this machine can do at most, and what holds it back.",
        """\
        No kernel is faster than memory brings its data (the slope), nor than the machine computes
        (the level roof). A disc is a kernel, as large as its share of a call; the further below the
        roof, the more there is to gain. On the slope fewer bytes would help: fuse more, or use a
        smaller type. Below the level roof, less arithmetic.

            210 us  limit 62.6 us  30 %  memory    it could take 62.6 us, no less
        """,
    ),
    _of(
        "package",
        "What a package that was compiled ahead of time holds: code, kernels and constants.",
        """\
        A constant is a parameter or buffer that travels with the package; `folded` was computed
        while it was compiled. An inlined parameter became part of the code, and cannot be replaced
        without compiling again. The C++ class calls the kernels in this order.

            weight  f32[128, 256]  131 kB    in the package, can be replaced
            scale   f32[]                    in the code: fixed
        """,
    ),
    _of(
        "guards",
        "What has to hold for the compiled code to be used again; else it is compiled once more.",
        """\
        Begin with the recompilations, if there are any: what changed, on which line Dynamo began
        to rely on it, and what to write so that it does not matter. The guards themselves are the
        checks that run before the compiled code at each call.

            x.shape[0] was 8, now 16    why it was compiled again
            mark_dynamic(x, 0)          what to write, before the first call
        """,
    ),
    _of(
        "shapes",
        "The sizes that compiled code leaves open, and where a size became a fixed number.",
        """\
        A symbol such as `s77` stands for a size that may differ from call to call. Its range says
        for which sizes the code holds. A line that compares a size, or uses it as a number, narrows
        the range, or pins the symbol to one value: then other sizes compile again.

            s77  x.shape[0]    2 and up     one code for all of these
            s86  x.shape[1]    is 3         pinned, on the line that is shown
        """,
    ),
    _of(
        "frames",
        "Every Python function that Dynamo looked at, what came of it, and why.",
        """\
        `compiled` is in a graph. `skipped` runs as plain Python, with the reason. `resumed` is the
        rest of a function after a break. A frame that is analysed several times broke off in
        between, or was compiled again for other inputs. What is called inside a compiled function
        is inlined, and has no frame of its own.

            step               lines 4-5  compiled   graph 1
            step after line 5  lines 6-7  resumed    graph 2
        """,
    ),
    _of(
        "timeline",
        "Where the time went while it was compiled, in phases that lie inside each other.",
        """\
        The widest bar is the one to look at. The first compilation in a process imports Inductor
        and probes the C++ compiler: look at a second one. On a CPU much of the time is often spent
        waiting for the C++ compiler.

            4.3 s  async_compile.wait    g++ or Triton at work
            80 ms  bytecode_tracing      Dynamo reads your function
        """,
    ),
    _of(
        "artifacts",
        "What the log holds beside the facts in the other views, text by text, as it was written.",
        """\
        An imported log keeps every record. What a view shows is there; all else is here, under
        PyTorch's own name for it, with the compilation that it belongs to. Names that one rank has
        and another lacks are worth a look.

            fx_graph_runnable    0/0    a script that compiles this graph by itself
            fx_graph_cache_miss  0/0    why a compile cache had no answer
        """,
    ),
)
"""In the order in which a program passes through them."""

_BY_VIEW = {reading.view: reading for reading in READINGS}


def reading_of(view: str) -> Reading | None:
    """How to read the view of this name, None where nothing needs to be said."""
    return _BY_VIEW.get(view)


def blocks(paragraph: str) -> Iterator[tuple[bool, str]]:
    """The parts of a paragraph: whether it is an example, and its text."""
    for part in paragraph.split("\n\n"):
        is_example = part.startswith("    ")
        yield is_example, dedent(part) if is_example else " ".join(part.split())

"""The code that came out, its times, and what it rests on: how to read each view."""

from dynamo_lab.view.help.reading import Reading, reading

READINGS: tuple[Reading, ...] = (
    reading(
        "ranks",
        "A lane for each rank, time across: what it did, its collectives, and who waits for whom.",
        """\
        A mark is a collective that the rank called; point at one, and it is lit in all lanes. It is
        open from the first rank that comes to the last. That is lost where the rank computes
        nothing meanwhile: what is not hidden. The row of collectives that are alike says on which
        line they are, and who asked for them.

            8  all_reduce  2.1 MB  open for 293 ms  not hidden 199 ms    most of it is lost
        """,
    ),
    reading(
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
    reading(
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
    reading(
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
    reading(
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
    reading(
        "guards",
        "What must hold for the compiled code to be reused; otherwise it is recompiled.",
        """\
        Begin with the recompilations, if there are any: what changed, on which line Dynamo came to
        rely on it, and what to write so that it no longer matters. The guards themselves are the
        checks that run before the compiled code on each call. PyTorch stops at the first that
        fails and names that one alone: more may have changed, and show once it is mended.

            x.shape[0] was 8, now 16    why it was recompiled
            mark_dynamic(x, 0)          what to write, before the first call
        """,
    ),
    reading(
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
    reading(
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
    reading(
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
    reading(
        "logs",
        "What PyTorch logged in words, each message beside the view that shows the same.",
        """\
        `TORCH_LOGS` and `logs=` take the names in the second column. A message is tied to what this
        recording has of the same event, and to the line of the program that it names. Of what is
        `shown only here` there is no more than the text.

            0/0  graph_code    TRACED GRAPH         Stages: graph 1
            0/0  graph_breaks  Graph break in user  Breaks: break 1
        """,
    ),
    reading(
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

"""What the compiler made of the graphs: how to read each view."""

from dynamo_lab.view.help.reading import Reading, reading

READINGS: tuple[Reading, ...] = (
    reading(
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
    reading(
        "compiler",
        "One operator through the backend `lab`: its rule, its loop, its kernel, its text.",
        """\
        Read from left to right. The rule is a closure: run at a position, it records what is
        computed there. That record is the loop; loops that share a kernel are merged; the kernel
        is printed, in the language that runs and in the others. While the program lives, the rule,
        fusion, the loops of a kernel and its text can be changed: a change counts if it gives
        what eager gives.

            node    exp    line 3
            rule    apply("exp", v)                      rules/pointwise.py:45
            loop    %3: float32 = exp(%2)                in buf2
            kernel  %6: float32 = exp(%5)                buf1, buf2 and buf3 in one
            C       const float t6 = expf(t5);
        """,
    ),
    reading(
        "choices",
        "What PyTorch chose without a word: which, why, and what came of it.",
        """\
        Kernels of attention, the fast path of transformer modules, types under autocast, integer
        kernels, channels last, how a concatenation is made, what freezing did with weights, lists
        of tensors. A reason is PyTorch's own, or said not to be known. What has a view of its own
        is told there in full.

            layout     Channels last is chosen for 2 convolutions                 line 4
              why      All convolutions are on a CPU with oneDNN, where PyTorch always chooses it.
              effect   2 results in channels last. Each call copies 65.5 kB to bring them there.
        """,
    ),
    reading(
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
    reading(
        "fast_path",
        "Which transformer modules took their fast path; why others did not, in PyTorch's words.",
        """\
        `nn.TransformerEncoderLayer` and `nn.MultiheadAttention` have one operator for all that they
        do, and `nn.TransformerEncoder` skips padding, if the conditions in their `forward` hold.
        The first that does not is the reason. `broken` ones run eagerly: the graph breaks in them.

            refused  nn.TransformerEncoder         line 4  self.encoder(x, src_key_padding_mask=pad)
              mask_check enabled with torch.compile or torch.export
            taken      nn.TransformerEncoderLayer x 12
              The whole layer is one operator, torch._transformer_encoder_layer_fwd.
        """,
    ),
    reading(
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
    reading(
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
    reading(
        "memory",
        "When each buffer of the generated code is live, and how much is allocated at each call.",
        """\
        A column is a call, as high as what is planned for it; inputs and parameters come on top,
        and what a library takes for itself. A bar below is the lifetime of a buffer: solid while it
        will still be read, pale while its memory waits. What is written in place adds nothing. Of a
        training step that `lab.tiny` planned a column is an operation, its parts weights, state,
        sample, activations and gradients; sliders change what is updated.

            1-2  65.5 kB  buf0    returned
              2     64 B  buf3    written over buf2, in place
        """,
    ),
    reading(
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
)

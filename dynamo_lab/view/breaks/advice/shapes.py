"""Results whose size depends on the data."""

from dynamo_lab.view.breaks.advice.rule import Rule, example

_KIND = r"(?i)^Dynamic shape operator|data-dependent output shape"
_DYNAMIC = (
    "The size of the result depends on the data (as with `nonzero` or a boolean mask). Use an "
    "operator with a fixed size, such as `torch.where(mask, x, 0)`.",
    "Or set `torch._dynamo.config.capture_dynamic_output_shape_ops = True`: the size is a symbol. "
    "Where Python decides by it, as in `if len(y) > 3`, the program breaks there instead, or "
    "fails.",
)
_CAPTURE = _DYNAMIC[1]

RULES = (
    Rule(
        _KIND,
        "loss over alignments",
        (
            "PyTorch does not trace `ctc_loss`: it has no rule for the shapes of what that keeps "
            "for the gradient, and no setting helps. Compile the model, and compute the loss "
            "outside.",
        ),
        r"aten\._ctc_loss",
        example(
            """
            import torch

            labels = torch.tensor([[1, 2]])

            def f(x):
                y = x.log_softmax(-1)
                torch.nn.functional.ctc_loss(y, labels, [4], [2])
                return y
            """,
            """
            def f(x):  # ctc_loss after the call
                return x.log_softmax(-1)
            """,
            "torch.randn(4, 1, 5)",
        ),
    ),
    Rule(
        _KIND,
        "distinct values",
        (
            "The number of distinct values depends on the data. Sort and compare neighbours: both "
            "have a fixed size.",
            _CAPTURE,
        ),
        r"aten\._?unique",
        example(
            """
            import torch

            def f(x):
                return x + torch.unique(x).numel()
            """,
            """
            def f(x):
                ordered = x.sort().values
                return x + (ordered[1:] != ordered[:-1]).sum() + 1
            """,
        ),
    ),
    Rule(
        _KIND,
        "repeats given by a tensor",
        (
            "State the length of the result: "
            "`torch.repeat_interleave(x, repeats, output_size=...)` has a known size.",
            _CAPTURE,
        ),
        r"aten\.repeat_interleave",
        example(
            """
            import torch

            def f(x, repeats):
                return torch.repeat_interleave(x, repeats) * 2
            """,
            """
            import torch

            def f(x, repeats):
                return torch.repeat_interleave(x, repeats, output_size=10) * 2
            """,
            "torch.arange(4.0), torch.tensor([1, 2, 3, 4])",
        ),
    ),
    Rule(
        _KIND,
        "counting into bins",
        (
            "The largest value determines the number of bins. If that number is known, "
            "compare with each of them and add up.",
            _CAPTURE,
        ),
        r"aten\.(?:bincount|histc)",
        example(
            """
            import torch

            def f(x):
                return torch.bincount(x) + 1
            """,
            """
            import torch

            def f(x):
                return (x[:, None] == torch.arange(4)).sum(0) + 1
            """,
            "torch.tensor([0, 1, 1, 3])",
        ),
    ),
    Rule(
        _KIND,
        "values picked by a mask",
        _DYNAMIC,
        r"aten\.masked_select",
        example(
            """
            import torch

            def f(x):
                return torch.masked_select(x, x > 1).sum()
            """,
            """
            import torch

            def f(x):
                return torch.where(x > 1, x, 0).sum()
            """,
        ),
    ),
    Rule(
        _KIND,
        "data-dependent shape",
        _DYNAMIC,
        example=example(
            """
            def f(x):
                return x[x > 1].sum() * 2
            """,
            """
            import torch

            def f(x):
                return torch.where(x > 1, x, 0).sum() * 2
            """,
        ),
    ),
    Rule(
        r"out= tensor variant|`out=` tensor",
        "out= that does not fit",
        (
            "Omit `out=` and use the result: in a compiled function it saves no memory, because "
            "the compiler plans the buffers.",
            "Otherwise give `out=` a contiguous tensor of the result's shape.",
        ),
        example=example(
            """
            import torch

            def f(x):
                out = torch.empty(0)
                torch.add(x, 1, out=out)
                return out * 2
            """,
            """
            import torch

            def f(x):
                out = torch.add(x, 1)
                return out * 2
            """,
        ),
    ),
    Rule(
        r"Tensor\.resize_\(\)",
        "resize_() call",
        ("Take a slice, or create a new tensor of the new size: the shape is part of the graph.",),
        example=example(
            """
            def f(x):
                y = x * 2
                y.resize_(2)
                return y + 1
            """,
            """
            def f(x):
                y = x * 2
                return y[:2] + 1
            """,
        ),
    ),
    Rule(
        r"(?i)sparse",
        "sparse tensor",
        (
            "Dynamo captures dense tensors. Keep the sparse part outside the compiled function, or "
            "compute densely.",
        ),
        example=example(
            """
            def f(x):
                return x.to_sparse().sum() + 1
            """,
            """
            def f(x):
                return x.sum() + 1
            """,
        ),
    ),
)

"""Gradients, parameters and modules."""

from dynamo_lab.view.breaks.advice.rule import Rule, example

_RECURRENT = Rule(
    r"RNN, GRU, or LSTM",
    "RNN, GRU or LSTM",
    (
        "Compile the rest of the model, and leave the recurrent module outside.",
        "Or set `torch._dynamo.config.allow_rnn = True`: Dynamo then captures it step by step.",
    ),
    example=example(
        """
        import torch

        class Tagger(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = torch.nn.LSTM(4, 4)

            def forward(self, x):
                return self.rnn(x)[0] * 2

        f = Tagger()
        """,
        """
        import torch

        torch._dynamo.config.allow_rnn = True

        class Tagger(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = torch.nn.LSTM(4, 4)

            def forward(self, x):
                return self.rnn(x)[0] * 2

        f = Tagger()
        """,
        "torch.ones(2, 3, 4)",
    ),
)

RULES = (
    Rule(
        r"(?i)^module-level backwards hooks",
        "backward hook of a module",
        (
            "Hook a tensor in `forward` instead: Dynamo captures `y.register_hook(...)`, and a "
            "module's own backward hooks only where it compiles the backward too.",
            "`torch._dynamo.config.compiled_autograd = True` does that alone where compiled code "
            "calls `backward()`: called outside, it fails.",
        ),
        example=example(
            """
            import torch

            f = torch.nn.Sequential(torch.nn.Linear(4, 4))
            f[0].register_full_backward_hook(lambda module, into, out: None)
            """,
            """
            import torch

            class Hooked(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.linear = torch.nn.Linear(4, 4)

                def forward(self, x):
                    y = self.linear(x)
                    y.register_hook(lambda gradient: None)
                    return y

            f = Hooked()
            """,
            "torch.ones(2, 4)",
            same=False,
        ),
    ),
    Rule(
        r"(?i)^uninitialized nn\.Module",
        "uninitialized nn.Module",
        (
            "The module is used before `nn.Module.__init__` has run on it: call "
            "`super().__init__()` first in its constructor.",
        ),
    ),
    Rule(
        r"(?i)autograd\.grad\b",
        "autograd call",
        (
            "`torch.func.grad` takes the gradient of a function, and is captured with it.",
            "Or compile the forward alone and take the gradient outside: its graph is compiled as "
            "well, but with `create_graph=True` fails once a gradient is taken of that.",
        ),
        example=example(
            """
            import torch

            def f(x):
                loss = (x * x).sum()
                return torch.autograd.grad(loss, x)[0]
            """,
            """
            import torch

            def f(x):
                return torch.func.grad(lambda x: (x * x).sum())(x)
            """,
            "torch.arange(4.0, requires_grad=True)",
        ),
    ),
    Rule(
        r"(?i)\.backward\(\)",
        "backward() call",
        (
            "Compile the forward alone and call `backward()` outside: its graph is compiled as "
            "well. Where the loss holds a gradient (of `create_graph=True`), that fails, unless "
            "the compiled function captures the gradient too, with `torch.func.grad`.",
        ),
        example=example(
            """
            def f(x):
                loss = (x * x).sum()
                loss.backward()
                return loss
            """,
            """
            def f(x):
                loss = (x * x).sum()
                return loss  # loss.backward() after the call
            """,
            "torch.arange(4.0, requires_grad=True)",
        ),
    ),
    Rule(
        r"requires_grad_\(\)|setattr\(\) on Tensor\.requires_grad",
        "requires_grad_() call",
        (
            "Mark tensors before the compiled function: whether a gradient is needed decides how "
            "its graph is built.",
        ),
        example=example(
            """
            def f(x):
                x.requires_grad_()
                return x * x
            """,
            """
            def f(x):  # x.requires_grad_() before the call
                return x * x
            """,
        ),
    ),
    Rule(
        r"retain_grad\(\)",
        "retain_grad() call",
        (
            "Return the tensor, and ask for its gradient outside: compiled code keeps no "
            "intermediate gradients.",
        ),
        example=example(
            """
            def f(x):
                y = x * 2
                y.retain_grad()
                return y
            """,
            """
            def f(x):
                y = x * 2
                return y  # y.retain_grad() after the call
            """,
            "torch.arange(4.0, requires_grad=True)",
        ),
    ),
    Rule(
        r"nn\.Parameter",
        "parameter created inside",
        (
            "Create the parameter, or the module that has it, once and outside of the compiled "
            "function, as in a module's `__init__`: here each call would create a new one. Where "
            "no parameter is needed, use a plain tensor.",
        ),
        example=example(
            """
            import torch

            def f(x):
                weight = torch.nn.Parameter(torch.ones(4))
                return (x * weight).sum()
            """,
            """
            import torch

            weight = torch.nn.Parameter(torch.ones(4))

            def f(x):
                return (x * weight).sum()
            """,
        ),
    ),
    Rule(
        r"tensor data attribute",
        "assignment to .data",
        ("Give the new tensor a name instead of replacing the data of the old one.",),
        example=example(
            """
            def f(x):
                y = x * 2
                y.data = y.data.double()
                return y + 1
            """,
            """
            def f(x):
                y = x * 2
                y = y.double()
                return y + 1
            """,
        ),
    ),
    _RECURRENT,
    # from torch 2.15 on, a module that Dynamo does not trace causes a break when it is called
    _RECURRENT._replace(kind=r"\(delayed\)", context=r"RNN, GRU, or LSTM"),
)

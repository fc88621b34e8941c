"""Programs that look like a fault of memory, and whose remedy would not do for them."""

ALIKE = {
    "attention_over_the_queries": """
        import torch

        def attention(q, k, v):
            return (q @ k.transpose(-1, -2)).softmax(-2) @ v

        def record(lab):
            return lab.lower(attention, *(torch.randn(2, 4, 256, 32) for _ in range(3)))
        """,
    "attention_that_returns_its_weights": """
        import torch

        def attention(q, k, v):
            weights = (q @ k.transpose(-1, -2)).softmax(-1)
            return weights @ v, weights

        def record(lab):
            return lab.lower(attention, *(torch.randn(2, 4, 256, 32) for _ in range(3)))
        """,
    "attention_with_gates": """
        import torch

        def attention(q, k, v, gates):
            return ((q @ k.transpose(-1, -2)).softmax(-1) * gates) @ v

        def record(lab):
            q, k, v = (torch.randn(2, 4, 256, 32) for _ in range(3))
            return lab.lower(attention, q, k, v, torch.randn(256, 256))
        """,
    "rows_repeated_and_written_to": """
        import torch

        def decoded(context, weight):
            rows = context.repeat(1024, 1)
            rows[::2] = 0
            return (rows @ weight).amax(0)

        def record(lab):
            return lab.lower(decoded, torch.randn(16, 64), torch.randn(64, 4))
        """,
    "columns_summed_into_bins": """
        import torch
        from torch.nn import functional as F

        def summed(x, bins):
            return torch.relu(x @ F.one_hot(bins, 512).float())

        def record(lab):
            return lab.lower(summed, torch.randn(2, 4096), torch.randint(0, 512, (4096,)))
        """,
    "labels_that_are_smoothed": """
        import torch
        from torch.nn import functional as F

        def mixed(tokens, table):
            chosen = F.one_hot(tokens, 5000).float() * 0.9 + 0.1 / 5000
            return torch.relu(chosen @ table)

        def record(lab):
            return lab.lower(mixed, torch.randint(0, 5000, (512,)), torch.randn(5000, 8))
        """,
    "part_of_what_is_returned": """
        import torch
        from torch.nn import functional as F

        def fn(x, wide, narrow):
            whole = F.linear(x, wide)
            part = whole[:, :8]
            return (part @ narrow).sin(), whole

        def record(lab):
            x, wide, narrow = (
                torch.randn(*shape, requires_grad=True) for shape in ((64, 128), (512, 128), (8, 8))
            )
            return lab.lower(fn, x, wide, narrow, grad=True)
        """,
}

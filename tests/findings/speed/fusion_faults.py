"""Programs whose loops a setting of the scheduler keeps apart, with the line at fault."""

from tests.findings.faults import Fault

FAULTS = {
    "many_sums_over_the_same_data": Fault(
        "missed-fusion",
        """
        import torch

        def moments(a, b, c):
            sums = []
            for number in range(24):
                sums.append((a * b + c * (number + 1.5)).sum(-1))  # fault
            return sums

        def record(lab):
            return lab.lower(moments, *(torch.randn(1024, 512) for _ in range(3)))
        """,
        "the C++ code generator puts at most 16 operations side by side",
    ),
}

CLEAN = {
    "a_few_sums_over_the_same_data": """
        import torch

        def moments(a, b, c):
            return [(a * b + c * (number + 1.5)).sum(-1) for number in range(8)]

        def record(lab):
            return lab.lower(moments, *(torch.randn(1024, 512) for _ in range(3)))
        """,
    "sums_over_rows_and_columns": """
        import torch

        def sums(x):
            return x.sin().sum(0), x.cos().sum(1)

        def record(lab):
            return lab.lower(sums, torch.randn(1024, 1024))
        """,
    "many_sums_over_little_data": """
        import torch

        def moments(a, b):
            return [(a * b + number + 0.5).sum(-1) for number in range(24)]

        def record(lab):
            return lab.lower(moments, torch.randn(64, 64), torch.randn(64, 64))
        """,
    "too_many_results_for_any_limit": """
        import torch

        def features(a, b):
            out = []
            for number in range(80):
                out.append((a * (number + 0.5) + b).sum(-1))
            return out

        def record(lab):
            return lab.lower(features, *torch.randn(2, 512, 1024),
                             target="cuda:sm_90")
        """,
}

"""How a kernel's results are compared with what they should be."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from dynamo_lab.capture.kernels.interpreting import compare, row_of  # noqa: E402

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("found", "expected", "differs"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0),
        ([1.0, 2.0], [1.0, 2.1], 1),
        ([1.0, NAN], [1.0, NAN], 0),
        ([1.0, NAN], [1.0, INF], 1),
        ([1.0, INF], [1.0, -INF], 1),
        ([1.0, NAN, 2.0], [1.0, NAN, 3.0], 1),
    ],
)
def test_numbers_agree_where_they_are_finite_and_alike_elsewhere(
    found: list[float], expected: list[float], differs: int
) -> None:
    row = row_of("kernel")
    compare(row, torch.tensor(found), torch.tensor(expected))
    assert (row["compared"], int(row["differs"])) == (1, differs)

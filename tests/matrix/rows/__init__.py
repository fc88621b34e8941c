"""The rows of the matrix, by what they are about."""

from tests.matrix.rows.ahead import AHEAD
from tests.matrix.rows.capture import CAPTURE
from tests.matrix.rows.kernels import KERNELS
from tests.matrix.rows.marks import MARKS
from tests.matrix.rows.operators import OPERATORS

ROWS = (*CAPTURE, *MARKS, *OPERATORS, *AHEAD, *KERNELS)

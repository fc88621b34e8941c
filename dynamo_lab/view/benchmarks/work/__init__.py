"""The work of kernels: bytes and operations, counted from what the recording says of them."""

from dynamo_lab.view.benchmarks.work.work import Works as Works
from dynamo_lab.view.benchmarks.work.work import is_view as is_view
from dynamo_lab.view.benchmarks.work.work import uncounted as uncounted
from dynamo_lab.view.benchmarks.work.work import works as works

"""Lines that PyTorch logs of what a recording tells anyway."""

import logging
import os
from collections.abc import Generator
from contextlib import ExitStack, contextmanager

_TOLD = {
    "torch._guards": ("Error while creating guard", "Created at:"),
    "torch._dynamo.convert_frame": ("torch._dynamo hit config.",),
    "torch._dynamo.variables.tensor": ("Graph break from",),
    "torch.fx.experimental.symbolic_shapes": ("failed during evaluate_expr",),
    "torch._subclasses.fake_tensor": ("failed while attempting to run meta",),
}
"""By logger, how the lines begin: a failed compilation, a limit that was hit, a break, an operator
that refuses its arguments."""


@contextmanager
def told_lines_held() -> Generator[None, None, None]:
    """While the body runs, these lines are not printed, unless `TORCH_LOGS` asks for logs."""
    with ExitStack() as stack:
        for name, beginnings in () if os.environ.get("TORCH_LOGS") else _TOLD.items():
            logger, told = logging.getLogger(name), _Others(beginnings)
            logger.addFilter(told)
            stack.callback(logger.removeFilter, told)
        yield


class _Others(logging.Filter):
    """Lets all records pass but those that begin in a certain way."""

    def __init__(self, beginnings: tuple[str, ...]) -> None:
        super().__init__()
        self._beginnings = beginnings

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is printed."""
        return not str(record.msg).startswith(self._beginnings)

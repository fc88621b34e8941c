"""A cell that runs as several ranks: `%%compile --ranks N`, `%%record --ranks N`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.api.ranks.jobs import JobRecording
from dynamo_lab.errors import CellError
from dynamo_lab.notebook.shown import check_outputs

if TYPE_CHECKING:
    import argparse

FAKE = "fake"
"""The backend of a job that is only planned."""
_ALONE = ("target", "detail")
"""Options that are about this process."""


def asked(options: argparse.Namespace) -> bool:
    """Whether the cell is to run as several ranks.

    Raises:
        CellError: an option of ranks stands without them.
    """
    if options.ranks is None and options.profile:
        raise CellError("--profile is of ranks: add `--ranks 2`, or leave it out.")
    return options.ranks is not None


def run(
    options: argparse.Namespace,
    text: str,
    label: str,
    shell: Any,
    compiled: dict[str, Any] | None,
    *,
    is_plan: bool = False,
) -> None:
    """Run the cell as a job, or only plan it, show it, and fail if a rank failed.

    `compiled` are the options of `torch.compile` for its statements as one frame; None to run them
    as they are.
    """
    check_outputs(options)
    for name in _ALONE:
        if getattr(options, name):
            raise CellError(
                "--ranks goes with neither --target nor --steps: leave one of them out."
            )
    from dynamo_lab.record.ranks.launch import launch
    from dynamo_lab.record.ranks.plan import plan
    from dynamo_lab.record.ranks.work import work_of_cell

    path = f"<{label}>"
    work = work_of_cell(
        text, label, path, shell.user_ns,
        compiled=compiled, limit=options.timeout, is_profiled=options.profile,
    )  # fmt: skip
    launched = (plan if is_plan else launch)(work, options.ranks)
    job = JobRecording(launched, None if is_plan else work)  # of a plan nothing can be tried
    if not options.quiet:
        job.show()
    if options.into:
        shell.user_ns[options.into] = job
    if options.html:
        job.to_html(options.html)
    if options.json:
        job.save(options.json)
    if not job.is_whole:
        raise CellError(job.findings[0])

"""The options of a recording, as the terminal and the notebook commands parse them."""

import argparse

from dynamo_lab.record.explore import MAX_STEPS


def add_target_option(parser: argparse.ArgumentParser) -> None:
    """`--target`, for commands that record."""
    parser.add_argument(
        "--target",
        metavar="NAME",
        help="lower for this device, present or not, without building or running its code: cpu, "
        "cpu:avx2, cuda:sm_80, cuda:sm_90, cuda:sm_100, rocm:gfx942, mps, ...",
    )


def add_step_options(parser: argparse.ArgumentParser) -> None:
    """The options `detail` and `max_steps` of a recording."""
    parser.add_argument(
        "--steps",
        dest="detail",
        action="store_const",
        const="steps",
        default="normal",
        help="record each instruction that Dynamo interprets",
    )
    parser.add_argument(
        "--max-steps", type=int, default=MAX_STEPS, metavar="N", help="the most of them to record"
    )


def add_logs_option(parser: argparse.ArgumentParser) -> None:
    """`--logs`, what `TORCH_LOGS` would print."""
    parser.add_argument(
        "--logs",
        default="",
        metavar="NAMES",
        help="record what TORCH_LOGS would print, beside the views that show the same: "
        "+dynamo,graph_code",
    )

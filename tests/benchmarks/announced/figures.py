"""The figures that PyTorch announced: what, of which machine, where it is written.

`measured_by` is the command that measures ours; `shows` are the rows of its runs that answer it.
"""

from __future__ import annotations

from msgspec import Struct


class Figure(Struct, frozen=True, kw_only=True):
    """An announced figure, and where ours comes from."""

    name: str
    announced: str
    machine: str
    source: str
    run: str
    shows: tuple[str, ...]
    measured_by: str


_STARTED = "https://pytorch.org/get-started/pytorch-2.0/"
_OF_2_2 = "https://pytorch.org/blog/pytorch2-2/"
_OPTIMIZERS = "https://dev-discuss.pytorch.org/t/compiling-the-optimizer-with-pt2/1669"
_FAST_PATH = "https://pytorch.org/blog/a-better-transformer-for-fast-transformer-encoder-inference/"
_OF_2_0 = "https://pytorch.org/blog/pytorch-2.0-release/"
_SUITE = "dynamo-lab suite --device cuda --amp --training"

FIGURES: tuple[Figure, ...] = (
    Figure(
        name="torch.compile works",
        announced="93 % of 163 models",
        machine="A100",
        source=_STARTED,
        run="suite",
        shows=("training, float32, works", "training, AMP, works"),
        measured_by=_SUITE,
    ),
    Figure(
        name="training in float32",
        announced="21 % faster",
        machine="A100",
        source=_STARTED,
        run="suite",
        shows=("training, float32",),
        measured_by=_SUITE,
    ),
    Figure(
        name="training with AMP",
        announced="51 % faster",
        machine="A100",
        source=_STARTED,
        run="suite",
        shows=("training, AMP",),
        measured_by=_SUITE,
    ),
    Figure(
        name="training, three quarters AMP",
        announced="43 % faster",
        machine="A100",
        source=_STARTED,
        run="suite",
        shows=("training, weighed",),
        measured_by=_SUITE,
    ),
    Figure(
        name="FlashAttention-2",
        announced="around 2 times FlashAttention, 50 to 73 % of the peak",
        machine="A100",
        source=_OF_2_2,
        run="attention",
        shows=(
            "times memory-efficient",
            "share of the peak, forward",
            "share of the peak, backward",
        ),
        measured_by="python -m tests.benchmarks.attention",
    ),
    Figure(
        name="compiled optimizers, HuggingFace",
        announced="18 % faster",
        machine="not stated in the release notes",
        source=_OPTIMIZERS,
        run="optimizers",
        shows=("transformers",),
        measured_by="python -m tests.benchmarks.optimizers cuda",
    ),
    Figure(
        name="compiled optimizers, TorchBench",
        announced="19 % faster",
        machine="not stated in the release notes",
        source=_OPTIMIZERS,
        run="optimizers",
        shows=("torch", "the step by itself", "recompiles with schedulers"),
        measured_by="python -m tests.benchmarks.optimizers cuda",
    ),
    Figure(
        name="compiled optimizers, TIMM",
        announced="8 % faster, and about 40 s more to compile in all three",
        machine="not stated in the release notes",
        source=_OPTIMIZERS,
        run="optimizers",
        shows=("timm",),
        measured_by="python -m tests.benchmarks.optimizers cuda",
    ),
    Figure(
        name="the fast path of transformers",
        announced="more than 2 times as fast in many cases",
        machine="CPU and GPU, not named",
        source=_FAST_PATH,
        run="fast_path",
        shows=("fast path", "with padding"),
        measured_by="python -m tests.benchmarks.fast_path",
    ),
    Figure(
        name="int8 on x86 (oneDNN) against FBGEMM",
        announced="1.34 to 2.04 times as fast",
        machine="Xeon Platinum 8358",
        source=_OF_2_0,
        run="quantization",
        shows=("x86", "onednn"),
        measured_by="python -m tests.benchmarks.quantization",
    ),
)

"""Where attention runs: what PyTorch's rules ask of the device and of the libraries there."""

from msgspec import Struct

from dynamo_lab.model.attention.calls import Kernel
from dynamo_lab.model.targets import Target

NEWEST_KNOWN = (2, 13)
"""The newest release whose rules these are; of a newer one, what may have changed is unknown."""

NEWEST_ON_A_CPU = (2, 15)
"""The same of a CPU, where PyTorch's own choice can be asked for without any other machine."""

_PREFERS_CUDNN = 91500
_CUDNN_GPUS = ((9, 0), (10, 0), (10, 3))


class Platform(Struct, frozen=True, kw_only=True):
    """A device, by the numbers that the rules depend on.

    `cudnn` is its version as `torch.backends.cudnn.version()` gives it: 91900 is 9.19. PyTorch's
    packages for CUDA 13 bring one beyond 9.15, so that is assumed where nothing else is known.
    """

    name: str
    device: str
    capability: tuple[int, int] = (0, 0)
    cudnn: int = 91900
    release: tuple[int, int] = NEWEST_KNOWN

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Those that there can be at all."""
        if self.device == "cpu":
            return "flash", "math"
        return "flash", "efficient", "cudnn", "math"

    @property
    def prefers_cudnn(self) -> bool:
        """Whether cuDNN is tried first: `check_prefer_cudnn_attention`, since torch 2.9."""
        return self.cudnn > _PREFERS_CUDNN and self.capability in _CUDNN_GPUS

    @property
    def adds_a_batch(self) -> bool:
        """Whether a call without a batch is given one of size 1 before the choice."""
        return self.release >= (2, 14)

    @property
    def is_newer(self) -> bool:
        """Whether the release is newer than the rules."""
        return self.release > self.newest_known

    @property
    def newest_known(self) -> tuple[int, int]:
        """The newest release whose rules for this device are known."""
        return NEWEST_ON_A_CPU if self.device == "cpu" else NEWEST_KNOWN


def platform_of(target: Target, release: tuple[int, int] = NEWEST_KNOWN) -> Platform | None:
    """The platform of a target; None for those whose rules are not in PyTorch's own source.

    On ROCm they are AOTriton's, which has other ones in each version; on Apple's GPUs the kernel
    is chosen in `attention.cpp` by what Metal's library has.
    """
    if target.kind not in ("cpu", "cuda"):
        return None
    return Platform(
        name=target.name, device=target.kind, capability=target.capability, release=release
    )

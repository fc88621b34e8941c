"""The machine and the software that a recording was made with."""

from msgspec import Struct


class Environment(Struct, frozen=True, kw_only=True):
    """Versions and hardware; an empty string, or 0, means not known or absent.

    `cores` are those that the process could run on, `threads` those of PyTorch's operators.
    """

    python: str = ""
    torch: str = ""
    triton: str = ""
    dynamo_lab: str = ""
    platform: str = ""
    processor: str = ""
    threads: int = 0
    cores: int = 0
    accelerators: tuple[str, ...] = ()
    created: str = ""
    options: dict[str, str] = {}

"""Names of collectives, which every layer of PyTorch spells in its own way."""

import re

_PARTS = re.compile(r"[^a-z]|intotensor|base|coalesced|tensor|single|sparse|out$")
_SAME = {"alltoallv": "alltoall", "sendrecv": "send"}
COMPILERS = ("_inductor.", "_functorch.", "_dynamo.")
"""How functions of the compiler begin in `Call.through`: it called them while it compiled."""


def kind_of(name: str) -> str:
    """'allgather' of "all_gather_into_tensor", "_allgather_base_" and NCCL's "AllGather"."""
    plain = _PARTS.sub("", name.lower().replace("_", ""))
    return _SAME.get(plain, plain)

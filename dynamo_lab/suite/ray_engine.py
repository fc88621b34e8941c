"""The suite over the GPUs of many machines, through Ray. Install it with `dynamo-lab[sweep]`.

Ray hands out the GPUs and moves the jobs; each runs under the same supervision as on one machine,
and the results come back to the one file. See https://docs.ray.io/en/latest/ray-core/walkthrough.html.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from dynamo_lab.errors import SuiteError
from dynamo_lab.suite.jobs import Job
from dynamo_lab.suite.results import Result
from dynamo_lab.suite.supervisor import Limits, supervise

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from dynamo_lab.suite.runner import Order

_A_GPU = 4
"""Processes that share a GPU by default: they compile at once, and time one after the other."""

_THREADS = 2  # that build kernels for a process


class RayEngine:
    """Jobs as tasks of a Ray cluster: the one at `address`, or one on this machine alone."""

    is_here = False

    def __init__(self, address: str | None = None, ray: Any = None) -> None:
        self._ray = ray or _import_ray()
        self._address = address

    def run(self, jobs: Sequence[Job], order: Order) -> Generator[Result]:
        """The results of a model when it is done with."""
        ray = self._ray
        if not ray.is_initialized():
            ray.init(address=self._address, log_to_driver=False)
        uses: dict[str, float] = {"num_cpus": 1}
        if order.device == "cuda":
            if not ray.cluster_resources().get("GPU"):  # or its tasks would wait for ever
                raise SuiteError("The Ray cluster has no GPU: start one with GPUs, or use the CPU.")
            uses["num_gpus"] = 1 / (order.workers or _A_GPU)
        task = ray.remote(**uses, max_retries=0)(run_remotely)
        limits = msgspec.json.encode(order.limits)
        left = [task.remote(msgspec.json.encode(job), limits) for job in jobs]
        try:
            while left:
                ready, left = ray.wait(left, num_returns=1)
                yield from msgspec.json.decode(ray.get(ready[0]), type=list[Result])
        finally:
            for reference in left:
                ray.cancel(reference, force=True)


def run_remotely(job: bytes, limits: bytes) -> bytes:
    """Run a job on this machine; Ray has said by then which GPU is ours."""
    asked = msgspec.json.decode(job, type=Job)
    seen = os.environ.get("CUDA_VISIBLE_DEVICES", "0")
    slot = f"cuda-{seen}" if asked.device == "cuda" else asked.device
    environment = {"TORCHINDUCTOR_COMPILE_THREADS": str(_THREADS), "HF_HUB_OFFLINE": "1"}
    found = supervise(
        replace(asked, slot=slot), msgspec.json.decode(limits, type=Limits), environment
    )
    return msgspec.json.encode(list(found))


def _import_ray() -> Any:
    try:
        import ray  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise SuiteError(
            'Ray is not installed: pip install "dynamo-lab[sweep]", or leave --engine out.'
        ) from None
    return ray  # pyright: ignore[reportUnknownVariableType]
